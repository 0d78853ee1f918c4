"""Bridges to other libraries, each behind an extra of its own; nothing else of loa imports them.

- `loa.integrations.gymnasium`: Gymnasium environments. `pip install 'loa[gymnasium]'`
- `loa.integrations.openspiel`: boards to and from `pyspiel` states. `pip install 'loa[openspiel]'`
- `loa.integrations.pettingzoo`: a PettingZoo environment. `pip install 'loa[pettingzoo]'`
- `loa.integrations.pillow`: pictures as PNG and animated GIF. `pip install 'loa[pictures]'`
"""
