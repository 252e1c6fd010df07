"""What the package promises about hostile pages."""
