// A proxy that makes tunnels on the loopback: whatever host is asked for, they end at one port.
//   proxy PORT LOG
// Prints its own port, serves until its standard input ends, and notes each host that was asked for in LOG.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_socket(unsigned port, bool listens, unsigned *own)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int end = socket(AF_INET, SOCK_STREAM, 0);
    bool fine = end >= 0 && (listens ? bind(end, (struct sockaddr *)&address, length) == 0 && listen(end, 16) == 0
                                     : connect(end, (struct sockaddr *)&address, length) == 0);
    if (!fine || getsockname(end, (struct sockaddr *)&address, &length) != 0) {
        perror("proxy");
        exit(2);
    }
    *own = ntohs(address.sin_port);
    return end;
}

// True while bytes go from one end to the other.
static bool pass(int from, int to)
{
    char bytes[16384];
    ssize_t got = recv(from, bytes, sizeof bytes, 0);
    for (ssize_t sent = 0, part; got > 0 && sent < got; sent += part) {
        part = send(to, bytes + sent, (size_t)(got - sent), MSG_NOSIGNAL);
        if (part <= 0) {
            return false;
        }
    }
    return got > 0;
}

static void tunnel(int client, unsigned port, const char *log_path)
{
    char text[4096] = "", host[256] = "";
    size_t used = 0;
    unsigned own;
    while (strstr(text, "\r\n\r\n") == NULL && used + 1 < sizeof text) {
        ssize_t got = recv(client, text + used, sizeof text - 1 - used, 0);
        if (got <= 0) {
            return;
        }
        used += (size_t)got;
        text[used] = '\0';
    }
    FILE *log = fopen(log_path, "a");
    if (log != NULL) {
        (void)sscanf(text, "CONNECT %255s", host);
        (void)fprintf(log, "%s\n", host);
        (void)fclose(log);
    }
    int server = open_socket(port, false, &own);
    static const char answer[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    (void)send(client, answer, sizeof answer - 1, MSG_NOSIGNAL);
    struct pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    while (poll(ends, 2, 30000) > 0) {
        if ((ends[0].revents != 0 && !pass(client, server)) || (ends[1].revents != 0 && !pass(server, client))) {
            return;
        }
    }
}

int main(int count, char **words)
{
    unsigned own;
    if (count != 3) {
        return 2;
    }
    unsigned port = (unsigned)strtoul(words[1], NULL, 10);
    (void)signal(SIGCHLD, SIG_IGN);
    int listener = open_socket(0, true, &own);
    (void)printf("%u\n", own);
    (void)fflush(stdout);
    struct pollfd wanted[] = {{listener, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    while (poll(wanted, 2, -1) >= 0 || errno == EINTR) {
        if (wanted[1].revents != 0) {
            return 0;
        }
        int client = wanted[0].revents & POLLIN ? accept(listener, NULL, NULL) : -1;
        if (client >= 0 && fork() == 0) {
            (void)alarm(60);
            tunnel(client, port, words[2]);
            _exit(0);
        }
        if (client >= 0) {
            (void)close(client);
        }
    }
    return 0;
}
