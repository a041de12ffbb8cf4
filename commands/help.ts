import { z } from 'zod';
import { defineCommand, type CommandContext } from '../src/command/command.ts';
import { TOPICS, type CommandInfo, type Topic } from '../src/model/command-info.ts';
import { typedCode } from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import {
  bullets,
  joined,
  lines,
  nested,
  sections,
  sentence,
  series,
} from '../src/rich-text/compose.ts';
import { code, ownCommand, styled, text, type RichText } from '../src/rich-text/rich-text.ts';

const typedOf = ({ name, typed = name }: CommandInfo): string => typed;

const line = (info: CommandInfo): RichText =>
  series([ownCommand(info.name, typedOf(info)), info.summary]);

/** One command: a line; the actions of a group are named in its one line, where the command alone does not run them. */
const shortLine = (actions: readonly CommandInfo[]): RichText => {
  const [first] = actions;
  if (!first) return [];
  if (first.groupSummary === undefined) return line(first);
  const group = typedOf(first).slice(0, typedOf(first).lastIndexOf(' '));
  const words = actions
    .filter(({ alone }) => !alone)
    .map((info) => code(typedOf(info).slice(group.length + 1)));
  const named = ownCommand(first.name.split(' ', 1).join(), group);
  return sentence(...joined([named, ...words], ' '), ` · ${first.groupSummary}`);
};

/** Names the entries of a message's menu, where there is one: on platforms whose channels can be watched. */
const entries = (
  usable: readonly CommandInfo[],
  isGuest: boolean | undefined,
  t: CommandContext<unknown>['t'],
): RichText | false => {
  const named = usable.flatMap(({ menu }) => (menu === undefined ? [] : [menu]));
  const hasMenu = isGuest || usable.some(({ needs }) => needs === 'watch');
  return hasMenu && named.length > 0 && t('help.menu', { entries: named.join(' · ') });
};

/** Lists the commands that are for people of this role. */
const usableBy = ({
  commands,
  member,
}: Pick<CommandContext<unknown>, 'commands' | 'member'>): readonly CommandInfo[] =>
  commands().filter(({ moderators }) => !moderators || member.role === 'moderator');

/** Lists what a person can use by topic, in the order of the names in their language. */
const overview = (
  ctx: Pick<CommandContext<unknown>, 'commands' | 'member' | 'isGuest' | 'locale' | 't' | 'label'>,
): RichText => {
  const { isGuest, locale, t, label } = ctx;
  const { compare } = new Intl.Collator(locale);
  const usable = usableBy(ctx)
    .filter(({ needs }) => !isGuest || needs === undefined)
    .toSorted((a, b) => compare(typedOf(a), typedOf(b)));
  const byTopic = Map.groupBy(usable, ({ topic }): Topic => topic ?? 'more');
  const parts = TOPICS.flatMap((topic) => {
    const named = Map.groupBy(byTopic.get(topic) ?? [], ({ name }) => name.split(' ', 1)[0]);
    if (named.size === 0) return [];
    const heading = styled('bold', text(label(`help.topics.${topic}`)));
    return [lines(heading, bullets(...[...named.values()].map(shortLine)))];
  });
  return sections(...parts, lines(entries(usable, isGuest, t), t('help.details')));
};

export default defineCommand(
  'help',
  {
    options: z.object({ command: z.string().optional() }),
    complete: {
      command: (typed, ctx) =>
        usableBy(ctx)
          .map(({ name, typed: own = name, summary }) => ({ name, own, summary }))
          .filter(({ name, own }) =>
            [name, own].some((known) => known.includes(typed.replace(/^\//, '').toLowerCase())),
          )
          .map(({ name, own, summary }) => ({ value: name, label: `/${own} · ${summary}` })),
    },
    private: true,
    async run(ctx) {
      const { options, commands, label, reply } = ctx;
      if (options.command === undefined) return reply({ text: overview(ctx) });
      const wanted = options.command.trim().replace(/^\//, '').toLowerCase();
      const found = commands().filter(({ name, typed = name }) =>
        [name, typed].some((known) => known === wanted || known.startsWith(`${wanted} `)),
      );
      if (found.length === 0)
        throw userError('not-found', 'errors.unknown-command', {
          command: typedCode(`/${wanted}`),
        });
      const usable = usableBy(ctx);
      const shown = found.filter(({ name }) => usable.some((each) => each.name === name));
      const { platform } = ctx.member;
      if (shown.length === 0) throw userError('forbidden', 'errors.needs-moderator', { platform });
      const details = shown.map((command) =>
        nested(
          line(command),
          command.options.map(({ name, typed = name, description, required }) =>
            sentence(
              code(typed),
              required ? '' : ` (${label('help.optional')})`,
              ` · ${description}`,
            ),
          ),
        ),
      );
      await reply({ text: bullets(...details) });
    },
  },
  {
    presses: {
      all: {
        private: true,
        isForEverybody: true,
        run: async (ctx) => ctx.reply({ text: overview(ctx) }),
      },
    },
  },
);
