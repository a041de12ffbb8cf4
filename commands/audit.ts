import {
  defineCommand,
  moderator,
  pressOn,
  type Press,
  type PressContext,
} from '../src/command/command.ts';
import { button, hiddenNote } from '../src/command/helpers.ts';
import type { AuditEntry } from '../src/command/services.ts';
import type { Content } from '../src/model/message.ts';
import { channelMention } from '../src/model/place.ts';
import { bullets, lines, nested, sentence, series } from '../src/rich-text/compose.ts';
import { text, timestamp, type RichText } from '../src/rich-text/rich-text.ts';
import { mapInline, mapRows, mentionText, plainText } from '../src/rich-text/walk.ts';
import { actsOf, channelIdsIn, said, withoutHidden } from './audit/said.ts';
import { changedLines, type AuditContext } from './audit/values.ts';

const LISTED = 10;
const SECOND_MS = 1_000;

/** All changes, those of them that the person may read of, and a sentence on each of these. */
const read = async (ctx: AuditContext) => {
  const { access, services, channel } = ctx;
  const { space } = channel;
  const all = await services.audit.list(space);
  const blocked = await services.blocks.list(space);
  const ids = [...new Set(all.flatMap(channelIdsIn))];
  const seen = await access.seen(ids, (id) => ({ space, id }));
  const isSeen = new Set(seen);
  const shown = all.filter(({ channelId }) => channelId === undefined || isSeen.has(channelId));
  return {
    all,
    shown,
    seen,
    isSeen,
    say: (entry: AuditEntry) => said(entry, blocked, isSeen, ctx),
  };
};

/** The place in the list that a press is about. */
const fromOf = ({ arg }: Pick<PressContext, 'arg'>): number =>
  Math.max(0, Math.trunc(Number(arg)) || 0);

/** Says in one row what an act set for another channel, where that is something else than for the first. */
const othersLine = async (
  other: AuditEntry,
  own: readonly RichText[],
  ctx: AuditContext,
): Promise<readonly RichText[]> => {
  const known = new Set(own.map(plainText));
  const differing = (await changedLines(other, ctx)).filter((line) => !known.has(plainText(line)));
  if (differing.length === 0) return [];
  const { space } = ctx.channel;
  const channel = channelMention({ space, id: other.channelId ?? '' });
  return [sentence(channel, ': ', series(differing))];
};

/** The changes of links and settings, from a place in their list on. */
const page = async (ctx: AuditContext, from: number): Promise<Content> => {
  const { services, t } = ctx;
  const { all, shown, say } = await read(ctx);
  const { days } = services.audit;
  if (all.length === 0) return { text: t('audit.none', { days }), tone: 'note' };
  const acts = actsOf(shown);
  const items = acts.slice(from, from + LISTED).map(async ({ entry, others }) => {
    const time = sentence(timestamp(Math.floor(entry.atMs / SECOND_MS), 'f'));
    const own = await changedLines(entry, ctx);
    const further = others.map((other) => othersLine(other, own, ctx));
    return nested(series([time, say(entry)]), [...own, ...(await Promise.all(further)).flat()]);
  });
  return {
    text: lines(
      t('audit.heading', { days }),
      acts.length > LISTED &&
        t('audit.page', {
          page: Math.floor(from / LISTED) + 1,
          pages: Math.ceil(acts.length / LISTED),
        }),
      bullets(...(await Promise.all(items)), hiddenNote(all, shown, ctx)),
    ),
    controls: [
      ...(from > 0 ? [button(ctx, `audit page:${from - LISTED}`, 'audit.newer')] : []),
      ...(acts.length > from + LISTED
        ? [button(ctx, `audit page:${from + LISTED}`, 'blocks.older')]
        : []),
      button(ctx, `audit export:${from}`, 'audit.export'),
    ],
  };
};

/** The names of channels that the person sees, by their ids, as far as they are known. */
const namesOf = async (
  ids: readonly string[],
  { named, channel: { space } }: PressContext,
): Promise<ReadonlyMap<string, string>> => {
  const nameOf = async (id: string) => {
    const mention = sentence(channelMention({ space, id }));
    return [id, plainText((await named?.(mention, { space, id })) ?? mention)] as const;
  };
  return new Map(await Promise.all(ids.map(nameOf)));
};

const exportPress: Press = {
  guards: [moderator],
  private: true,
  run: async (ctx) => {
    const { services, reply } = ctx;
    const { shown, seen, isSeen, say } = await read(ctx);
    const names = await namesOf(seen, ctx);
    const inWords = (tree: RichText): string =>
      plainText(
        mapRows(tree, (inRow) =>
          mapInline(inRow, (node) =>
            node.kind === 'mention' ? text(names.get(node.id) ?? mentionText(node)) : node,
          ),
        ),
      );
    const changes = shown.map((entry) => ({
      entry: withoutHidden(entry, isSeen),
      channel: names.get(entry.channelId ?? '') ?? '',
      said: inWords(say(entry)),
    }));
    await reply({
      ...(await page(ctx, fromOf(ctx))),
      files: [{ name: 'audit.csv', mediaType: 'text/csv', bytes: services.audit.csv(changes) }],
    });
  },
};

/** `/audit`: tells moderators who changed what of the links and settings of their space. */
export default defineCommand(
  'audit',
  { guards: [moderator], private: true, run: async (ctx) => ctx.reply(await page(ctx, 0)) },
  {
    needs: 'watch',
    topic: 'server',
    presses: {
      page: {
        guards: [moderator],
        ...pressOn((ctx) => page(ctx, fromOf(ctx))),
      },
      export: exportPress,
    },
  },
);
