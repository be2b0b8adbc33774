roast
