import { z } from 'zod';
import { defineCommand, type AnswerContext } from '../src/command/command.ts';
import type { Explained, Explanation, FoundMessage } from '../src/command/services.ts';
import { listOf, quotedWords, say, WITHHELD_REASONS } from '../src/command/helpers.ts';
import { userError, type MessageKey } from '../src/errors.ts';
import type { Control } from '../src/model/message.ts';
import {
  channelKey,
  channelMention,
  isSameChannel,
  isSamePerson,
  keyOf,
  type Channel,
  type MessageRef,
  type Person,
} from '../src/model/place.ts';
import { bullets, lines, nested, sentence, series, type Maybe } from '../src/rich-text/compose.ts';
import { timestamp, type ListItem, type RichText } from '../src/rich-text/rich-text.ts';
import { AND, NAME_CHARS, stopPresses } from './why/stopping.ts';

const SIGNS = { posted: '✅', waiting: '⏳', skipped: '➖', dead: '❌', unknown: '➖' } as const;
const SECOND_MS = 1_000;

const at = (timeMs: number) => timestamp(Math.floor(timeMs / SECOND_MS), 'R');

/** The names of the channels elsewhere that are linked with the one where a moderator asks, by their keys; none for others. */
const namesElsewhere = async ({
  channel,
  member,
  services: { watches },
}: AnswerContext): Promise<ReadonlyMap<string, string>> => {
  const watch = member.role === 'moderator' ? watches.of(channel) : undefined;
  const members = watch ? await watches.members(watch) : [];
  return new Map(members.map(({ key, name }) => [key, name]));
};

const WHERE = ['why.shown', 'why.copies', 'why.copies-as-written'] as const;

/** Mentions the channels that the person may see, and names or counts the others. */
const places = async (
  channels: readonly Channel[],
  key: (typeof WHERE)[number] | 'why.missing' | 'why.removed',
  ctx: AnswerContext,
): Promise<readonly Maybe<RichText>[]> => {
  const { access, channel, t } = ctx;
  const here = channels.filter((each) => keyOf(each.space) === keyOf(channel.space));
  const seen = await access.seen(here, (each) => each);
  const names = await namesElsewhere(ctx);
  const named = channels.flatMap((each) => names.get(channelKey(each)) ?? []);
  const hidden = channels.length - seen.length - named.length;
  const isShown = WHERE.some((each) => each === key);
  const listed = [...seen.map(channelMention), ...(isShown ? [] : named)];
  return [
    listed.length > 0 && t(key, { channels: series(listed, isShown ? ' ' : ', ') }),
    isShown && named.length > 0 && t('why.elsewhere-named', { channels: { list: named } }),
    isShown && hidden > 0 && t('why.elsewhere', { count: hidden }),
    key === 'why.removed' && hidden > 0 && t('why.removed-elsewhere', { count: hidden }),
  ];
};

/** Puts together what was left alone for the same reason, by auto-translate and by flags: that is said once. */
const grouped = (parts: readonly Explanation[]): readonly (readonly Explanation[])[] => [
  ...Map.groupBy(parts, (part) => {
    const { state, emoji, reason } = part;
    const isLeft = emoji === undefined && (state === 'skipped' || state === 'unknown');
    // Each language has a translation of its own that is there already.
    const isSame = isLeft && reason && reason.key !== 'why.flag.shown';
    return isSame ? reason.key.split('.').at(-1) : part;
  }).values(),
];

/** True for what a pause kept out: it can be written again when that has ended. */
const isOfPause = (reason: Explanation['reason']): boolean =>
  reason !== undefined && /^why\.(?:cut-off\.|skipped\.(?:muted|paused)$)/.test(reason.key);

const isOurs = ({ reason }: Explanation): boolean =>
  /^why\.unknown\.(?:own|copy)$/.test(reason?.key ?? '');

const itemOf = async (
  parts: readonly Explanation[],
  ctx: AnswerContext,
): Promise<Maybe<ListItem>> => {
  const [part] = parts;
  if (!part) return undefined;
  const { emoji, state, isCopied, isOfElsewhere, reason, sinceMs, tries, alreadyIn } = part;
  const { shownIn = [], missing = [], removedIn = [] } = part;
  const { services, locale, member, t, label } = ctx;
  // What is shown of a message that was skipped, or waits, is of the time before its edit.
  const isEarlier = shownIn.length > 0;
  const none = isOurs(part) ? 'own' : isEarlier ? 'earlier' : 'none';
  const isNow = state === 'posted' || state === 'dead' || (state === 'waiting' && !isEarlier);
  const outcome = isNow ? state : none;
  const key = `why.${isCopied && state === 'posted' ? 'copied' : outcome}` as const;
  const time = sinceMs === undefined ? '–' : at(sinceMs);
  const flags = parts.flatMap(({ flag }) =>
    flag === undefined ? [] : services.languages.name(flag, locale),
  );
  const head = series([
    flags.length === parts.length && listOf(flags, locale),
    emoji === undefined ? t(key, { time }) : t('why.flag.none', { emoji }),
  ]);
  const isAsWritten = reason?.key === 'why.skipped.no-words';
  const copies = isAsWritten ? 'why.copies-as-written' : 'why.copies';
  const shown = await places(shownIn, isCopied ? copies : 'why.shown', ctx);
  const isModerator = member.role === 'moderator';
  const isGone = shownIn.length === 0 && removedIn.length > 0;
  const absent = await Promise.all(
    missing.map(async ({ channels, reason: why }) => {
      const [where] = await places(channels, 'why.missing', ctx);
      const kept = [where, why && why.key !== reason?.key && say(t, why)];
      return { line: where && series(kept, ' '), isPaused: where && isOfPause(why) };
    }),
  );
  const wasPaused = isOfPause(reason) || absent.some(({ isPaused }) => isPaused);
  return nested(sentence(`${isGone ? SIGNS.skipped : SIGNS[state]} `, head), [
    ...shown,
    alreadyIn !== undefined &&
      t('why.already-in', { language: services.languages.name(alreadyIn, locale) }),
    reason && say(t, reason),
    isModerator && reason?.key.startsWith('why.skipped.rule-') && t('why.rules-change'),
    tries && t('why.tried', { count: tries.failed, next: at(tries.nextMs) }),
    state === 'dead' && isModerator && !isOfElsewhere && t('why.try-again'),
    ...absent.map(({ line }) => line),
    wasPaused && t('why.instead', { entry: label('commands.translate.menu') }),
    ...(await places(removedIn, 'why.removed', ctx)),
  ]);
};

/** Tells whether a message was read aloud, where that had to be done. */
const reading = (on: FoundMessage, { services, t }: AnswerContext): readonly ListItem[] => {
  const state = services.rooms.readingOf(on.ref);
  return state
    ? [nested(sentence(state === 'read' ? '✅ ' : '➖ ', t(`why.read.${state}`)), [])]
    : [];
};

/** Tells a person whether they are captioned in the room that they are in or ask in; nothing where there is none. */
const hearing = async (ctx: AnswerContext): Promise<readonly ListItem[]> => {
  const { channel, member, services, t } = ctx;
  const room = services.rooms.of(channel.space);
  if (!room) return [];
  const own = services.rooms.roomOf(channel.space, member.id);
  const ids = [room.channel.id, room.captions?.in.id];
  if (own?.id !== room.channel.id && !ids.includes(channel.id)) return [];
  const { state, withheld } = await room.hearing(member.id);
  const head = t(`why.voice.${state}`, { channel: channelMention(room.channel) });
  return [
    nested(sentence(state === 'captioned' ? '✅ ' : '➖ ', head), [
      ...room.faults().map((fault) => say(t, fault.sentence)),
      ...WITHHELD_REASONS.map(
        (reason) =>
          withheld[reason] > 0 && t(`status.withheld-${reason}`, { count: withheld[reason] }),
      ),
    ]),
  ];
};

const isBy = ({ author }: Pick<Explained, 'author'>, { member }: Pick<AnswerContext, 'member'>) =>
  author !== undefined && isSamePerson(author, member);

/** Tells moderators whose messages from other spaces one of our messages copies, and lets them stop these, or those of people here. */
const authors = async (
  explained: readonly Explained[],
  ctx: AnswerContext,
): Promise<readonly { readonly line?: RichText; readonly control: Control }[]> => {
  const { services, channel, member, t, label } = ctx;
  const { rules } = await services.spaces.of(channel.space);
  /** True where the rule of the space decides whether messages of the author, who is not ourselves, are left out. */
  const mayStop = (ref: MessageRef, author: Person): boolean | undefined => {
    const watch = services.watches.of(ref.channel);
    const own = watch?.choices?.rules?.people;
    return watch && !rules.people?.only && !own?.only && !own?.of.includes(author.id);
  };
  const isHere = (ref: MessageRef): boolean => keyOf(ref.channel.space) === keyOf(channel.space);
  const listed = explained.flatMap(({ ref, author, parts }) =>
    author &&
    !parts.some(isOurs) &&
    (!isHere(ref) || (!isBy({ author }, ctx) && mayStop(ref, author)))
      ? { ref, author }
      : [],
  );
  if (member.role !== 'moderator' || listed.length === 0) return [];
  // One message of ours may copy several of the same person.
  const people = new Map(listed.map((each) => [keyOf(each.author), each]));
  const names = await namesElsewhere(ctx);
  const offered = await Promise.all(
    [...people.values()].map(async ({ ref, author }) => {
      const { platform, id } = author;
      const source = await services.messages.read(ref).catch(() => undefined);
      const known = quotedWords(source?.author.name ?? '', NAME_CHARS);
      const name = known || label('people.unknown');
      if (isHere(ref)) {
        // Of other bots, those are left out anyway that are not translated.
        const isBot = source?.author.kind === 'bot';
        if (isBot && !services.watches.of(ref.channel)?.bots) return [];
        const does = rules.people?.of.includes(id) ? 'allow' : 'stop';
        const press = `autotranslate ${does}person:${[id, known].join(AND)}`;
        const named = label(`rules.${does}-person`, { name });
        return { control: { kind: 'button', press, label: named } satisfies Control };
      }
      const place = names.get(channelKey(ref.channel));
      const isStopped = await services.blocks.of(channel.space, author);
      const written =
        place === undefined
          ? t('why.written-unlinked', { name })
          : t('blocks.written', { name, channel: quotedWords(place) });
      return {
        line: isStopped ? series([written, t('blocks.is-stopped', { name })], ' ') : written,
        control: {
          kind: 'button',
          press: `why ${isStopped ? 'show' : 'stop'}:${[platform, id, known].join(AND)}`,
          label: label(isStopped ? 'blocks.show-again' : 'blocks.stop', { name }),
          look: isStopped ? 'primary' : 'danger',
        } satisfies Control,
      };
    }),
  );
  return offered.flat();
};

/** Platforms list no more people of one reaction. */
const MOST_COUNTED = 100;

/** Counts the reactions to other copies of a message, for which one of ours stands here at most. */
const reactions = ([first]: readonly Explained[], { t }: AnswerContext): readonly ListItem[] => {
  const counts = first?.elsewhere?.map(
    ({ emoji, people }) => `${emoji} ${people}${people < MOST_COUNTED ? '' : '+'}`,
  );
  return counts ? [nested(t('why.reactions', { reactions: counts.join(' · ') }), [])] : [];
};

/** Says where the sources of a copy were written, as far as the person sees that, and to moderators with which models it was translated. */
const origins = async (
  explained: readonly Explained[],
  on: FoundMessage,
  ctx: AnswerContext,
): Promise<readonly Maybe<RichText>[]> => {
  const { access, channel, member, services, t } = ctx;
  const sources = explained
    .map(({ ref }) => ref.channel)
    .filter(
      (each, place, all) =>
        keyOf(each.space) === keyOf(channel.space) &&
        !isSameChannel(each, on.ref.channel) &&
        all.findIndex((one) => isSameChannel(one, each)) === place,
    );
  const seen = await access.seen(sources, (each) => each);
  const models = member.role === 'moderator' ? await services.modelsOf(on.ref) : [];
  return [
    ...seen.map((each) => t('why.written-in', { channel: channelMention(each) })),
    models.length > 0 && t('why.models', { models: { list: models } }),
  ];
};

/** True for one of our own messages that shows nothing of anybody: a caption, or an answer. */
const isOwn = ({ parts }: Explained): boolean =>
  parts.some(({ reason }) => reason?.key === 'why.unknown.own');

const OPTED_OUT = 'why.skipped.opted-out';

/** Reasons that are about the author, as the author reads them. */
const YOURS: Readonly<Record<string, MessageKey>> = {
  [OPTED_OUT]: 'why.you-opted-out',
  'why.skipped.blocked': 'why.you-blocked',
  'why.skipped.forgotten': 'why.you-forgotten',
  'why.skipped.rule-people': 'why.you-left-out',
  'why.skipped.rule-roles': 'why.your-roles',
};

const toAuthor = <Of extends Pick<Explanation, 'reason'>>(part: Of): Of => {
  const key = YOURS[part.reason?.key ?? ''];
  return key ? { ...part, reason: { key } } : part;
};

/** Keeps what the person may read: of what somebody else wrote who opted out, that and no other reason. */
const toldOf = async (told: Explained, ctx: AnswerContext): Promise<Explained> => {
  const { author, parts } = told;
  if (isBy(told, ctx))
    return {
      ...told,
      parts: parts.map(({ missing, ...part }) => ({
        ...toAuthor(part),
        ...(missing && { missing: missing.map(toAuthor) }),
      })),
    };
  if (!author || !(await ctx.services.privacy.optedOut(author))) return told;
  const shown = parts.find(({ state }) => state === 'posted') ?? { state: 'skipped' };
  return { ...told, author: undefined, parts: [{ ...shown, reason: { key: OPTED_OUT } }] };
};

/** Reasons of flags that tell nothing of anybody. */
const OF_FLAGS = /^why\.(?:flag\.|skipped\.(?:same-language|no-words|no-language|quiet-channel)$)/;

/** Tells what became of the flags that the person set on a message of somebody else, who is told of nothing else of it. */
const ownFlags = (
  explained: readonly Explained[],
  { ref }: FoundMessage,
  { member, services }: AnswerContext,
): readonly Explanation[] => {
  const set = services.inbox.flagsOf(ref, member.id);
  return explained
    .flatMap(({ parts }) => parts)
    .filter(({ flag, emoji }) => set.includes(flag ?? emoji ?? ''))
    .map(({ flag, emoji, state, reason, shownIn = [] }) => ({
      ...(flag === undefined ? {} : { flag }),
      ...(emoji === undefined ? {} : { emoji }),
      state,
      shownIn,
      ...(reason && OF_FLAGS.test(reason.key) ? { reason } : {}),
      ...(state === 'skipped' && !OF_FLAGS.test(reason?.key ?? '')
        ? { reason: { key: 'flags.not-translated' } }
        : {}),
    }));
};

/** Longer ones lead to no message. */
const LONGEST_LINK_CHARS = 300;

/** Finds the message that a person typed the link or id of. Throws `not-found` where they may not see its channel, too. */
const found = async (
  typed: string,
  { access, channel, services }: AnswerContext,
): Promise<FoundMessage> => {
  const message = await services.messages.find(typed, channel, async (each) => access.shows(each));
  if (!message) throw userError('not-found', 'why.not-found');
  return message;
};

/** `/why`, from a message's menu or with its link: tells its author, and moderators, what became of it and why. */
export default defineCommand(
  'why',
  {
    options: z.object({ message: z.string().max(LONGEST_LINK_CHARS).optional() }),
    private: true,
    onMessage: () => ({}),
    needsNoWords: true,
    async run(ctx) {
      const { options, member, services, t, label, reply } = ctx;
      const on =
        ctx.on ?? (options.message === undefined ? undefined : await found(options.message, ctx));
      if (!on) {
        const voice = await hearing(ctx);
        const how = t('why.how', { entry: label('commands.why.menu') });
        if (voice.length === 0) return reply({ text: how, tone: 'note' });
        return reply({ text: lines(bullets(...voice), how) });
      }
      const explained = await services.inbox.explain(on);
      const isKnown = explained.some(({ parts }) => parts.some(({ state }) => state !== 'unknown'));
      if (!on.author && !isKnown) throw userError('not-found', 'why.not-found');
      if (explained.every(isOwn)) {
        const voice = await hearing(ctx);
        if (voice.length > 0) return reply({ text: bullets(...voice) });
      }
      const mine = explained.filter((each) => member.role === 'moderator' || isBy(each, ctx));
      if (mine.length === 0) {
        const flags = ownFlags(explained, on, ctx);
        if (flags.length === 0) {
          const entry = label('commands.translate.menu');
          throw userError('forbidden', 'why.not-yours', { entry });
        }
        const told = await Promise.all(flags.map((flag) => itemOf([flag], ctx)));
        return reply({ text: bullets(...told) });
      }
      const told = await Promise.all(mine.map(async (each) => toldOf(each, ctx)));
      const parts = told.flatMap((each) => grouped(each.parts));
      const items = await Promise.all(parts.map((same) => itemOf(same, ctx)));
      const from = await authors(told, ctx);
      await reply({
        text: lines(
          bullets(...items, ...reactions(told, ctx), ...reading(on, ctx)),
          ...(await origins(told, on, ctx)),
          ...from.map(({ line }) => line),
        ),
        controls: from.map(({ control }) => control),
      });
    },
  },
  { needs: 'watch', topic: 'channels', presses: stopPresses },
);
