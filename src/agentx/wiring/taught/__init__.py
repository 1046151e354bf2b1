"""What runs taught: offered, taken in when a run is packed away, proved, and told again."""
