import { defineCommand, type CommandContext } from '../src/command/command.ts';
import type { Explanation } from '../src/command/services.ts';
import { languageLabel, say } from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { channelMention, keyOf, type Channel } from '../src/model/place.ts';
import { bullets, lines, nested, sentence, series, type Maybe } from '../src/rich-text/compose.ts';
import { timestamp, type ListItem, type RichText } from '../src/rich-text/rich-text.ts';

type Context = Pick<
  CommandContext<unknown>,
  'access' | 'channel' | 'locale' | 'member' | 'services' | 't'
>;

const SIGNS = { posted: '✅', waiting: '⏳', skipped: '➖', dead: '❌', unknown: '➖' } as const;
const SECOND_MS = 1_000;

const at = (timeMs: number) => timestamp(Math.floor(timeMs / SECOND_MS), 'R');

/** Mentions the channels that the person may see, and counts the others. */
const places = async (
  channels: readonly Channel[],
  key: 'why.shown' | 'why.removed',
  { access, channel: { space }, t }: Context,
): Promise<readonly Maybe<RichText>[]> => {
  const here = channels.filter((each) => keyOf(each.space) === keyOf(space));
  const seen = await access.seen(here, (each) => each);
  const hidden = channels.length - seen.length;
  return [
    seen.length > 0 && t(key, { channels: series(seen.map(channelMention), ' ') }),
    hidden > 0 && key === 'why.shown' && t('autotranslate.elsewhere', { count: hidden }),
  ];
};

const explained = async (part: Explanation, ctx: Context): Promise<ListItem> => {
  const { flag, state, reason, sinceMs, tries, shownIn = [], removedIn = [] } = part;
  const { services, locale, member, t } = ctx;
  const key = state === 'skipped' || state === 'unknown' ? 'why.none' : (`why.${state}` as const);
  const time = sinceMs === undefined ? '–' : at(sinceMs);
  const head = series([
    flag !== undefined && languageLabel(flag, locale, services),
    t(key, { time }),
  ]);
  return nested(sentence(`${SIGNS[state]} `, head), [
    reason && say(t, reason),
    tries && t('why.tried', { count: tries.failed, next: at(tries.nextMs) }),
    state === 'dead' && member.role === 'moderator' && t('why.try-again'),
    ...(await places(shownIn, 'why.shown', ctx)),
    ...(await places(removedIn, 'why.removed', ctx)),
  ]);
};

/** `/why`, from a message's menu: tells its author, and moderators, what became of it and why. */
export default defineCommand(
  'why',
  {
    private: true,
    onMessage: () => ({}),
    async run(ctx) {
      const { on, member, services, t, reply } = ctx;
      if (!on) return reply({ text: t('why.how'), tone: 'note' });
      const told = (await services.inbox.explain(on)).filter(
        ({ authorId }) => authorId === member.id || member.role === 'moderator',
      );
      if (told.length === 0) throw userError('forbidden', 'why.not-yours');
      const parts = told.flatMap((each) => each.parts);
      const items = await Promise.all(parts.map((part) => explained(part, ctx)));
      await reply({ text: lines(bullets(...items)) });
    },
  },
  { needs: 'watch', topic: 'channels' },
);
