// A model hub that misbehaves: OWNER/NAME/resolve/REV/FILE gives the file of its folder, and NAME says what goes wrong.
//   server FOLDER LOG
// Prints its two ports (the hub's, and that of a second host), serves until its standard input ends, and notes each
// request in LOG: port, method, path, range, and whether a token came.
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define REQUEST_MAX 16384

struct request {
    int socket;
    bool second; // came to the second port
    char text[REQUEST_MAX];
    char path[1024], name[64], file[512], range[64], token[128];
    uint64_t begin, end; // of the range
    bool has_range;
};

static const char *folder, *log_path;
static unsigned ports[2];

static void send_text(int socket, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(socket, text, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            _exit(0);
        }
        text += sent;
        length -= (size_t)sent;
    }
}

static void say(int socket, const char *text)
{
    send_text(socket, text, strlen(text));
}

static void wait_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

static void find_line(const char *text, const char *name, char *out, size_t capacity)
{
    const char *line = strstr(text, name);
    out[0] = '\0';
    if (line != NULL) {
        line += strlen(name);
        size_t length = strcspn(line, "\r\n");
        (void)snprintf(out, capacity, "%.*s", (int)length, line);
    }
}

static bool read_request(struct request *request)
{
    size_t used = 0;
    while (used + 1 < sizeof request->text && strstr(request->text, "\r\n\r\n") == NULL) {
        ssize_t got = recv(request->socket, request->text + used, sizeof request->text - 1 - used, 0);
        if (got <= 0) {
            return false;
        }
        used += (size_t)got;
        request->text[used] = '\0';
    }
    if (sscanf(request->text, "GET %1023s", request->path) != 1) {
        return false;
    }
    find_line(request->text, "\r\nRange: bytes=", request->range, sizeof request->range);
    find_line(request->text, "\r\nAuthorization: ", request->token, sizeof request->token);
    request->end = UINT64_MAX;
    request->has_range = sscanf(request->range, "%" SCNu64 "-%" SCNu64, &request->begin, &request->end) >= 1;
    const char *resolve = strstr(request->path, "/resolve/");
    const char *file = resolve != NULL ? strchr(resolve + 9, '/') : NULL;
    (void)sscanf(request->path, "/%*[^/]/%63[^/?]", request->name);
    (void)snprintf(request->file, sizeof request->file, "%s", file != NULL ? file + 1 : "");
    return true;
}

static void note(const struct request *request)
{
    FILE *log = fopen(log_path, "a");
    if (log != NULL) {
        (void)fprintf(log, "%s %s range=%s token=%s\n", request->second ? "second" : "hub", request->path,
                      request->range, request->token[0] != '\0' ? "yes" : "no");
        (void)fclose(log);
    }
}

static bool is(const struct request *request, const char *name)
{
    return strcmp(request->name, name) == 0;
}

// How often this path was asked for before.
static unsigned asked_before(const struct request *request)
{
    char line[2048];
    unsigned count = 0;
    FILE *log = fopen(log_path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        char *path = strchr(line, ' ');
        size_t length = strlen(request->path);
        count += path != NULL && strncmp(path + 1, request->path, length) == 0 && path[length + 1] == ' ' ? 1 : 0;
    }
    if (log != NULL) {
        (void)fclose(log);
    }
    return count;
}

static void answer(const struct request *request, const char *status, const char *lines, const char *body)
{
    char head[4096];
    (void)snprintf(head, sizeof head,
                   "HTTP/1.1 %s\r\nX-Repo-Commit: " COMMIT "\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n",
                   status, lines, strlen(body));
    say(request->socket, head);
    say(request->socket, body);
}

static void redirect(const struct request *request, const char *location)
{
    char line[2048];
    (void)snprintf(line, sizeof line, "Location: %s\r\n", location);
    answer(request, "302 Found", line, "");
}

// The file as it should be, whole or the range of it; `cut`: the connection ends that many bytes early.
static void serve(const struct request *request, const char *file, bool ranges, size_t cut)
{
    char path[1024], head[512], *text;
    struct stat status;
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fstat(fileno(stream), &status) != 0) {
        answer(request, "404 Not Found", "X-Error-Code: EntryNotFound\r\n", "no such file");
        return;
    }
    uint64_t size = (uint64_t)status.st_size, begin = 0, end = size;
    bool part = ranges && request->has_range && request->begin < size;
    if (part) {
        begin = request->begin;
        end = request->end < size - 1 ? request->end + 1 : size;
        (void)snprintf(head, sizeof head,
                       "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n",
                       begin, end - 1, size);
    } else {
        (void)snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n");
    }
    say(request->socket, head);
    (void)snprintf(head, sizeof head,
                   "X-Repo-Commit: " COMMIT "\r\nConnection: close\r\nContent-Length: %" PRIu64 "\r\n\r\n",
                   end - begin);
    say(request->socket, head);
    size_t length = (size_t)(end - begin) > cut ? (size_t)(end - begin) - cut : 0;
    length = length > (64U << 20) ? (64U << 20) : length;
    text = calloc(1, length + 1);
    if (text != NULL && fseek(stream, (long)begin, SEEK_SET) == 0) {
        length = fread(text, 1, length, stream);
        send_text(request->socket, text, length);
    }
    free(text);
    (void)fclose(stream);
}

// ---- what goes wrong; true: the request was answered here

static void endless(const struct request *request, const char *head)
{
    static char zeros[65536];
    memset(zeros, ' ', sizeof zeros);
    say(request->socket, head);
    for (;;) {
        send_text(request->socket, zeros, sizeof zeros);
    }
}

static void drip(const struct request *request)
{
    say(request->socket, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{");
    for (;;) {
        say(request->socket, " ");
        wait_ms(200);
    }
}

// A header that says how long it is, and a file that is as long as it says.
static void lying_header(const struct request *request, uint64_t length, uint64_t total)
{
    char head[256], bytes[8];
    (void)snprintf(head, sizeof head,
                   "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-7/%" PRIu64
                   "\r\nContent-Length: 8\r\nConnection: close\r\n\r\n",
                   total);
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (char)(length >> (8 * i) & 255);
    }
    say(request->socket, head);
    send_text(request->socket, bytes, sizeof bytes);
}

static bool wrong_config(const struct request *request)
{
    char text[1200];
    if (is(request, "short")) {
        serve(request, request->file, true, 20);
    } else if (is(request, "resumed")) {
        serve(request, request->file, true, request->has_range ? 0 : 20);
    } else if (is(request, "endless")) {
        endless(request, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{");
    } else if (is(request, "long")) {
        endless(request, "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n{");
    } else if (is(request, "page")) {
        answer(request, "200 OK", "Content-Type: text/html\r\n", "<!DOCTYPE html><title>Log in</title>");
    } else if (is(request, "drip")) {
        drip(request);
    } else if (is(request, "slow")) {
        wait_ms(1500);
        serve(request, request->file, true, 0);
    } else if (is(request, "silent")) {
        wait_ms(60000);
    } else if (is(request, "closed")) {
        return true;
    } else if (is(request, "loop")) {
        redirect(request, request->path);
    } else if (is(request, "file")) {
        redirect(request, "file:///etc/passwd");
    } else if (is(request, "nowhere")) {
        answer(request, "302 Found", "", "");
    } else if (is(request, "secret") && strcmp(request->token, "Bearer hf_right") != 0) {
        answer(request, "401 Unauthorized", "", "");
    } else if (is(request, "gated")) {
        answer(request, "403 Forbidden", "X-Error-Code: GatedRepo\r\n", "Access to it is restricted");
    } else if (is(request, "private")) {
        answer(request, "401 Unauthorized", "", "");
    } else if (is(request, "missing")) {
        answer(request, "404 Not Found", "X-Error-Code: RepoNotFound\r\n", "");
    } else if (is(request, "branch")) {
        answer(request, "404 Not Found", "X-Error-Code: RevisionNotFound\r\n", "");
    } else if (is(request, "busy") && asked_before(request) < 2) {
        answer(request, "429 Too Many Requests", "Retry-After: 1\r\n", "");
    } else if (is(request, "banned")) {
        answer(request, "429 Too Many Requests", "Retry-After: 3600\r\n", "");
    } else if (is(request, "broken")) {
        answer(request, "503 Service Unavailable", "", "");
    } else if (is(request, "elsewhere") && !request->second) {
        (void)snprintf(text, sizeof text, "http://localhost:%u%s", ports[1], request->path);
        redirect(request, text);
    } else {
        return false;
    }
    return true;
}

static bool wrong_weights(const struct request *request)
{
    bool shard = strstr(request->file, "safetensors") != NULL && strstr(request->file, "json") == NULL;
    if (!shard) {
        return false;
    }
    if (is(request, "huge")) {
        lying_header(request, UINT64_C(10000000000), UINT64_C(20000000000));
    } else if (is(request, "beyond")) {
        lying_header(request, 5000, 3000);
    } else if (is(request, "norange")) {
        serve(request, request->file, false, 0);
    } else if (is(request, "other")) {
        answer(request, "206 Partial Content", "Content-Range: bytes 100-107/200000\r\n", "12345678");
    } else if (is(request, "unsized")) {
        say(request->socket, "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-7/*\r\nContent-Length: 8\r\n\r\n");
        send_text(request->socket, "\20\0\0\0\0\0\0\0", 8);
    } else if (is(request, "more")) {
        endless(request, "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-7/200000\r\n\r\n");
    } else if (is(request, "torn")) {
        serve(request, request->file, true, request->begin == 0 ? 1000 : 0);
    } else {
        return false;
    }
    return true;
}

static bool wrong_index(const struct request *request)
{
    if (strstr(request->file, "index.json") == NULL) {
        return false;
    }
    if (is(request, "climbing")) {
        answer(request, "200 OK", "", "{\"weight_map\": {\"a\": \"../../../.profile.safetensors\"}}");
    } else if (is(request, "gap")) {
        answer(request, "200 OK", "", "{\"weight_map\": {\"a\": \"model-00001-of-00002.safetensors\"}}");
    } else {
        return false;
    }
    return true;
}

static void answer_one(struct request *request)
{
    if (!read_request(request)) {
        return;
    }
    bool wrong = false;
    if (strstr(request->path, "/api/models/") != NULL) {
        (void)sscanf(request->path, "/api/models/%*[^/]/%63[^/?]", request->name);
        answer(request, "200 OK", "",
               "{\"sha\": \"" COMMIT
               "\", \"siblings\": [{\"rfilename\": \"README.md\"}, {\"rfilename\": \"m-Q8_0.gguf\"},"
               "{\"rfilename\": \"mmproj-Q4_K_M.gguf\"}, {\"rfilename\": \"UD/m-UD-Q4_K_M.gguf\"},"
               "{\"rfilename\": \"m-Q4_K_M.gguf\"}, {\"rfilename\": \"../m-Q4_K_M.gguf\"}]}");
        note(request);
        return;
    }
    wrong = wrong_config(request) || wrong_weights(request) || wrong_index(request);
    if (!wrong && is(request, "gguf") && strcmp(request->file, "config.json") == 0) {
        answer(request, "404 Not Found", "X-Error-Code: EntryNotFound\r\n", "");
        wrong = true;
    }
    if (!wrong) {
        serve(request, request->file, true, 0);
    }
    note(request);
}

static int listen_on(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_fd < 0 || bind(socket_fd, (struct sockaddr *)&address, length) != 0 || listen(socket_fd, 64) != 0 ||
        getsockname(socket_fd, (struct sockaddr *)&address, &length) != 0) {
        perror("server");
        exit(2);
    }
    *port = ntohs(address.sin_port);
    return socket_fd;
}

static void accept_one(int listener, bool second)
{
    struct request *request;
    int accepted = accept(listener, NULL, NULL);
    if (accepted < 0) {
        return;
    }
    if (fork() == 0) {
        (void)alarm(60);
        request = calloc(1, sizeof *request);
        if (request != NULL) {
            request->socket = accepted;
            request->second = second;
            answer_one(request);
            (void)shutdown(accepted, SHUT_RDWR);
        }
        _exit(0);
    }
    (void)close(accepted);
}

int main(int count, char **words)
{
    if (count != 3) {
        return 2;
    }
    folder = words[1];
    log_path = words[2];
    (void)signal(SIGCHLD, SIG_IGN);
    int first = listen_on(&ports[0]), second = listen_on(&ports[1]);
    (void)printf("%u %u\n", ports[0], ports[1]);
    (void)fflush(stdout);
    struct pollfd wanted[] = {{first, POLLIN, 0}, {second, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    while (poll(wanted, 3, -1) >= 0 || errno == EINTR) {
        if (wanted[2].revents != 0) {
            return 0; // whoever started it is gone
        }
        for (unsigned i = 0; i < 2; i++) {
            if (wanted[i].revents & POLLIN) {
                accept_one(wanted[i].fd, i == 1);
            }
        }
    }
    return 0;
}
