"""The parts of `bench.decisions`: rows, the service under test, marks, sequences, and how they are shown."""
