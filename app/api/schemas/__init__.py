"""What goes over the wire: one idea a file, strict on the way in, complete on the way out."""
