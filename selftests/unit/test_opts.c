// SPDX-License-Identifier: GPL-2.0-only
/* test_opts.c - options derived from a help text */
#include "kselftest_harness.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/opts.h"

enum { OPT_RAW = OPTS_LONG, OPT_COLOR, OPT_DEVICE };

static const char only[] = " raw color device";

static const char help[] =
"Usage: some [options]\n"
"A word such as --none in a sentence is no option.\n"
"\n"
"  -n, --last N            the last N, not --first\n"
"  -d, --dates START[:END] [[CC]YY]MMDD\n"
"      --device PATH       instead of the usual\n"
"                          --neither, in the second line\n"
"      --raw               as it is\n"
"      --color[=WHEN]      auto, or always\n"
"  -q, --quiet\n"
"  -m                      a letter alone\n"
"  -F FORMAT               the same\n"
"      --device PATH       once more, for another use";

#define WORDS(...)	((char *[]){ "some", __VA_ARGS__, NULL })

FIXTURE(opts) {
	struct opts o;
};

FIXTURE_SETUP(opts)
{
	opts_read(&self->o, help, only);
	optind = 0;	/* begin anew */
	opterr = 0;
}

FIXTURE_TEARDOWN(opts)
{
}

/* Parse the next option of these words, which end with NULL. */
static int next(const struct opts *o, char **words)
{
	int n = 0;

	while (words[n])
		n++;
	return opts_next(o, n, words);
}

TEST_F(opts, with_an_argument)
{
	char **words = WORDS("-n", "3", "--dates=1", "--device", "/x", "file");

	EXPECT_EQ('n', next(&self->o, words));
	EXPECT_STREQ("3", optarg);
	EXPECT_EQ('d', next(&self->o, words));
	EXPECT_STREQ("1", optarg);
	EXPECT_EQ(OPT_DEVICE, next(&self->o, words));
	EXPECT_STREQ("/x", optarg);
	EXPECT_EQ(-1, next(&self->o, words));
	EXPECT_STREQ("file", words[optind]);
}

TEST_F(opts, without_an_argument)
{
	char **words = WORDS("-q", "--raw", "--quiet", "--raw=1");

	EXPECT_EQ('q', next(&self->o, words));
	EXPECT_EQ(OPT_RAW, next(&self->o, words));
	EXPECT_EQ('q', next(&self->o, words));
	EXPECT_EQ('?', next(&self->o, words));
}

TEST_F(opts, of_a_letter_alone)
{
	char **words = WORDS("-mF", "%T", "-F%d", "-m", "file");

	EXPECT_EQ('m', next(&self->o, words));
	EXPECT_EQ('F', next(&self->o, words));
	EXPECT_STREQ("%T", optarg);
	EXPECT_EQ('F', next(&self->o, words));
	EXPECT_STREQ("%d", optarg);
	EXPECT_EQ('m', next(&self->o, words));
	EXPECT_EQ(-1, next(&self->o, words));
	EXPECT_STREQ("file", words[optind]);
}

TEST_F(opts, with_one_that_may_be_left_out)
{
	char **words = WORDS("--color", "--color=always", "always");

	EXPECT_EQ(OPT_COLOR, next(&self->o, words));
	EXPECT_EQ(NULL, optarg);
	EXPECT_EQ(OPT_COLOR, next(&self->o, words));
	EXPECT_STREQ("always", optarg);
	EXPECT_EQ(-1, next(&self->o, words));
}

TEST_F(opts, that_only_sentences_name)
{
	char **words = WORDS("--none", "--first", "--neither", "-C");
	int i;

	for (i = 0; i < 4; i++)
		EXPECT_EQ('?', next(&self->o, words));
	EXPECT_EQ(-1, next(&self->o, words));
}

TEST_F(opts, each_once)
{
	const struct option *l, *m;

	for (l = self->o.longs; l->name; l++)
		for (m = l + 1; m->name; m++)
			EXPECT_STRNE(l->name, m->name);
	EXPECT_EQ(6, l - self->o.longs);
}

/* An option of the help text that has no number is an error. */
TEST(a_name_without_a_number)
{
	struct opts o;
	const pid_t pid = fork();
	int status;

	ASSERT_LE(0, pid);
	if (!pid) {
		close(STDERR_FILENO);
		opts_read(&o, help, " raw color");
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST_HARNESS_MAIN
