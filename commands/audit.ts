import { defineCommand, moderator, pressOn, type Press } from '../src/command/command.ts';
import { button, hiddenNote, shorten } from '../src/command/helpers.ts';
import type { AuditEntry } from '../src/command/services.ts';
import type { Content, Control } from '../src/model/message.ts';
import { channelMention } from '../src/model/place.ts';
import { bullets, lines, nested, sentence, series } from '../src/rich-text/compose.ts';
import { text, timestamp, type RichText } from '../src/rich-text/rich-text.ts';
import { mapInline, mapRows, mentionText, plainText } from '../src/rich-text/walk.ts';
import { readable, readActs, turnedArg, turnedIn } from './audit/reading.ts';
import { channelIdsIn, type Act, withoutHidden } from './audit/said.ts';
import { changedLines, type AuditContext } from './audit/values.ts';

const SECOND_MS = 1_000;
/** Most that one page offers to undo: the newest. */
const MOST_UNDOS = 5;
/** A button's label has room for what was done beside such a name. */
const NAME_CHARS = 24;

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

/** The names of channels that the person sees, by their ids, as far as they are known. */
const namesOf = async (
  ids: readonly string[],
  { named, channel: { space } }: AuditContext,
): Promise<ReadonlyMap<string, string>> => {
  const nameOf = async (id: string) => {
    const mention = sentence(channelMention({ space, id }));
    return [id, plainText((await named?.(mention, { space, id })) ?? mention)] as const;
  };
  return new Map(await Promise.all(ids.map(nameOf)));
};

/** A sentence without markup, with names in place of mentions. */
const inWords = (tree: RichText, names: ReadonlyMap<string, string>, chars = Infinity): string =>
  plainText(
    mapRows(tree, (inRow) =>
      mapInline(inRow, (node) =>
        node.kind === 'mention'
          ? text(shorten(names.get(node.id) ?? mentionText(node), chars))
          : node,
      ),
    ),
  );

/** The Undo of an act that the person may set back, with what it undoes; undefined where there is none, or no longer. */
const undoOf = async (
  { entry, others }: Act,
  undos: Awaited<ReturnType<AuditContext['services']['endedWatches']['list']>>,
  say: (entry: AuditEntry) => RichText,
  ctx: AuditContext,
): Promise<Control | undefined> => {
  const undo = undos.find(({ id }) => [entry, ...others].some((each) => each.id === id));
  if (!undo) return undefined;
  // Rules of all channels are every moderator's.
  const channels = undo.touched.map(({ channel }) => channel).filter(({ id }) => id !== '');
  try {
    await ctx.access.demand(channels, 'write');
  } catch {
    return undefined;
  }
  const names = await namesOf(channelIdsIn(entry), ctx);
  const done = inWords(say({ ...entry, by: undefined, elsewhere: undefined }), names, NAME_CHARS);
  const press = `autotranslate restore:${undo.id}/audit`;
  const control = button(ctx, press, 'autotranslate.wizard-undo');
  return { ...control, label: `${control.label}: ${done}` };
};

/** The changes of links and settings, from the last place on that a person turned to. */
const page = async (ctx: AuditContext, arg = ''): Promise<Content> => {
  const { services, t } = ctx;
  const turned = turnedIn({ arg });
  const { all, shown, say, acts, next } = await readActs(ctx, turned.at(-1));
  const { days } = services.audit;
  if (all.length === 0 && turned.length === 0)
    return { text: t('audit.none', { days }), tone: 'note' };
  const undos = await services.endedWatches.list(ctx.channel.space);
  const undoing = await Promise.all(acts.map((act) => undoOf(act, undos, say, ctx)));
  const items = acts.map(async ({ entry, others }) => {
    const time = sentence(timestamp(Math.floor(entry.atMs / SECOND_MS), 'f'));
    const own = await changedLines(entry, ctx);
    const further = others.map((other) => othersLine(other, own, ctx));
    return nested(series([time, say(entry)]), [...own, ...(await Promise.all(further)).flat()]);
  });
  const read = new Set(shown);
  return {
    text: lines(
      t('audit.heading', { days }),
      bullets(
        ...(await Promise.all(items)),
        hiddenNote(
          all,
          all.filter((entry) => read.has(entry)),
          ctx,
        ),
      ),
      t('audit.undos', {
        undo: ctx.label('autotranslate.wizard-undo'),
        minutes: services.endedWatches.minutes,
      }),
    ),
    controls: [
      ...undoing.filter((control) => control !== undefined).slice(0, MOST_UNDOS),
      ...(turned.length > 0
        ? [button(ctx, `audit page:${turnedArg(turned.slice(0, -1))}`, 'audit.newer')]
        : []),
      ...(next ? [button(ctx, `audit page:${turnedArg([...turned, next])}`, 'blocks.older')] : []),
      button(ctx, `audit export:${turnedArg(turned)}`, 'audit.export'),
    ],
  };
};

const exportPress: Press = {
  guards: [moderator],
  private: true,
  run: async (ctx) => {
    const { services, reply } = ctx;
    const slices = await Array.fromAsync(services.audit.list(ctx.channel.space));
    const { shown, seen, isSeen, say } = await readable(slices.flat(), ctx);
    const names = await namesOf(seen, ctx);
    const bytes = await services.audit.csv(shown, (entry) => ({
      entry: withoutHidden(entry, isSeen),
      channel: names.get(entry.channelId ?? '') ?? '',
      said: inWords(say(entry), names),
    }));
    await reply({
      ...(await page(ctx, ctx.arg)),
      files: [{ name: 'audit.csv', mediaType: 'text/csv', bytes }],
    });
  },
};

/** `/audit`: tells moderators who changed what of the links and settings of their space. */
export default defineCommand(
  'audit',
  { guards: [moderator], private: true, run: async (ctx) => ctx.reply(await page(ctx)) },
  {
    needs: 'watch',
    topic: 'server',
    presses: {
      page: {
        guards: [moderator],
        ...pressOn((ctx) => page(ctx, ctx.arg)),
      },
      export: exportPress,
    },
  },
);
