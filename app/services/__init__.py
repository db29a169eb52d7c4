"""The use cases, one a module. They open and commit their own transactions and never call a model inside one."""
