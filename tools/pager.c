/* The pager is $PAGER, run by the shell, or less; what it is not able to show comes back to be printed. */
#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* statuses of a shell */

static bool fits(roast_str text)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return true; /* nobody knows how long it is */
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines < size.ws_row; /* the prompt takes the last */
}

/* What the shell is to run; NULL if the user wants no pager. */
static const char *wanted(void)
{
    const char *pager = getenv("PAGER");
    if (pager && (pager[0] == '\0' || strcmp(pager, "cat") == 0))
        return NULL;
    return pager ? pager : "command -v less > /dev/null || exit 127; exec less -FRX";
}

/* Started with this descriptor as its input; 0 if it cannot be. */
static pid_t start(const char *pager, int input, int output)
{
    char *arguments[] = {"sh", "-c", (char *)pager, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    pid_t pid = 0;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addclose(&files, input);
    posix_spawn_file_actions_addclose(&files, output);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (posix_spawnp(&pid, arguments[0], &files, &attributes, arguments, environ) != 0)
        pid = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

/* A reader that has gone is not an error: SIGPIPE is ignored, and what it wanted to see it has seen. */
static void feed(int output, roast_str text)
{
    while (text.len) {
        ssize_t written = write(output, text.ptr, text.len);
        if (written < 0 && errno != EINTR)
            return;
        text.ptr += written > 0 ? written : 0;
        text.len -= written > 0 ? (size_t)written : 0;
    }
}

static bool has_shown(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return true;
    return !WIFEXITED(status) || (WEXITSTATUS(status) != NOT_FOUND && WEXITSTATUS(status) != CANNOT_RUN);
}

bool pager_show(roast_str text)
{
    int ends[2];
    const char *pager = wanted();
    if (!pager || !isatty(STDOUT_FILENO) || fits(text) || pipe(ends) != 0)
        return false;
    fflush(stdout);
    setenv("LESS", "FRX", 0); /* for a PAGER that is less without options: colours, and the text stays */
    void (*before)(int) = signal(SIGINT, SIG_IGN); /* Ctrl-C is the pager's */
    pid_t pid = start(pager, ends[0], ends[1]);
    close(ends[0]);
    if (pid)
        feed(ends[1], text);
    close(ends[1]);
    bool shown = pid && has_shown(pid);
    signal(SIGINT, before);
    return shown;
}
