"""What Strata needs around it, tried one by one: each check is a function that returns what it found."""
