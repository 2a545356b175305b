// A page has no terminal whose width could be asked for.
#ifndef KVB_WEB_SYS_IOCTL_H
#define KVB_WEB_SYS_IOCTL_H

#define TIOCGWINSZ 0
struct winsize {
    unsigned short ws_row, ws_col;
};
#define ioctl(descriptor, request, size) ((void)(descriptor), (void)(request), (void)(size), -1)

#endif
