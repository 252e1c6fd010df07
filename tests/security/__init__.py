"""The promises of the package about hostile pages."""
