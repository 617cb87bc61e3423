first line
  second line
third line
fourth line
