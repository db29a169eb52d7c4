"""A hostile world: an engine that says anything, owners who contradict themselves, and the laws that must hold all the same.

`acts` is what may be done, `chance` makes acts and rulings up, `world` does them through the services, and `laws`, `past` and
`rulings` say what must hold. The stateful tests and `bench/hostile.py` share it.
"""
