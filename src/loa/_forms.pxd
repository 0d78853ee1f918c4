"""The forms of kernels: each module takes the fastest of its own, and tests choose the others."""

from libcpp cimport bool as boolean

cdef extern from "_forms.h" namespace "loa" nogil:
    cdef enum Form:
        PLAIN
        VECTORS
        AVX2
        AVX512

# Whether a module has a form that this processor can run.
ctypedef boolean (*HasForm)(int form) noexcept nogil


cdef inline list list_forms(HasForm has_form):
    """The forms of a module that this processor can run, the fastest last."""
    return [form for form in (PLAIN, VECTORS, AVX2, AVX512) if has_form(form)]


cdef inline int exchange_form(int* form, int other, HasForm has_form) except -1:
    """Chooses another form; returns the one in use before."""
    cdef int before = form[0]
    cdef list forms = list_forms(has_form)
    if other not in forms:
        raise ValueError(f"form {other}: expected one of {forms}")
    form[0] = other
    return before
