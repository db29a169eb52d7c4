"""The REST face: thin routers over the services. All that is HTTP lives here and nowhere else."""
