"""What later sessions did about what earlier ones left open."""
