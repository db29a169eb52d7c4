"""Makes the relation model of the local engine from this folder alone: `make train`. No part of the service."""
