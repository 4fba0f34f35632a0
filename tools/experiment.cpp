// Everything behind the command line lives in this library.
