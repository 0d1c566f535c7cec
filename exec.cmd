@rem npm scripts begin with exec, so that a signal reaches Node and not a shell in front of it. Windows has no such command, and no such signals.
@%*
