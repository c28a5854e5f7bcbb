"""The programs in a journey's seats: ordinary ones that read a packet, use ordinary tools and write a result."""
