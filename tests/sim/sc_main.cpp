// libsystemc refers to sc_main; test programs have a main of their own.
#include <systemc>

int sc_main(int, char**) { return 0; }
