import Server
