const check = (address) => true;
