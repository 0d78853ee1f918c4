"""What stands in for a cluster in tests: an executor that fails on demand, and Ctrl-C."""

import pickle
from concurrent.futures import Executor, Future


class InlineExecutor(Executor):
    """Runs each task when it is submitted, as another machine would: on pickled copies."""

    def __init__(self, errors=()):
        self.errors = list(errors)
        self.tasks = 0
        self.is_shut_down = False

    def submit(self, function, /, *arguments):
        self.tasks += 1
        future = Future()
        future.set_running_or_notify_cancel()
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            future.set_exception(error)
            return future
        function, arguments = pickle.loads(pickle.dumps((function, arguments)))
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.is_shut_down = True


def interrupt_after(chunks):
    """A progress callback that is Ctrl-C after some chunks."""
    calls = []

    def progress(fraction, leaves):
        calls.append((fraction, leaves))
        if len(calls) == chunks:
            raise KeyboardInterrupt

    return progress
