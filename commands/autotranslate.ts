import { z } from 'zod';
import {
  channelOption,
  defineAction,
  defineCommandGroup,
  listOption,
  moderator,
  richText,
  type CommandContext,
} from '../src/command/command.ts';
import { isQuiet } from '../src/model/space-choices.ts';
import type { ChannelWatch } from '../src/model/watch.ts';
import {
  completeLanguage,
  completeLanguages,
  hears,
  hiddenNote,
  modeKey,
  typedLanguage,
  typedLanguages,
  typedCode,
  readChannels,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import {
  bullets,
  lines,
  nested,
  sections,
  sentence,
  series,
  type Maybe,
} from '../src/model/compose-rich-text.ts';
import { channelAround, channelMention, type Channel } from '../src/model/place.ts';
import { code, timestamp, type ListItem, type RichText } from '../src/model/rich-text.ts';

const FEWEST_CHANNELS = 2;
const MOST_CHANNELS = 20;
const LONGEST_LIST_CHARS = 2_000;
const LONGEST_CODE_CHARS = 40;
const SECOND_MS = 1_000;

type Context<Options = unknown> = Pick<
  CommandContext<Options>,
  'access' | 'channel' | 'services' | 'locale' | 't' | 'signal' | 'options'
>;

/** The channel that was named, or the one that the command was used in: threads are watched with theirs. */
const channelOf = ({ channel, options }: Context<{ channel?: Channel | undefined }>): Channel =>
  options.channel ?? channelAround(channel);

const namesOf = (languages: readonly string[], { services, locale }: Context): string[] =>
  languages.map((language) => services.languages.name(language, locale));

const mentionsOf = (watches: readonly ChannelWatch[]): RichText =>
  series(
    watches.map(({ channel }) => channelMention(channel)),
    ' ',
  );

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

/** Names the targets of a channel's messages: in a group its channels, each with its language. */
const targetsOf = (watch: ChannelWatch, all: readonly ChannelWatch[]): string[] =>
  watch.group === undefined
    ? [...watch.languages]
    : all
        .filter(({ group }) => group === watch.group)
        .map(({ channel, languages }) => `${channel.id} ${languages.join()}`);

/** The settings that others take the place of, and the channels of groups that end with them. */
const replacedLines = (
  watches: readonly ChannelWatch[],
  before: readonly ChannelWatch[],
  ctx: Context,
): RichText[] => {
  const { services, channel: here, t } = ctx;
  const replaced = watches.flatMap((watch) => {
    const old = before.find(({ channel }) => channel.id === watch.channel.id);
    const isSame =
      old?.mode === watch.mode &&
      old.below === watch.below &&
      sameSet(targetsOf(old, before), targetsOf(watch, watches));
    if (!old || isSame) return [];
    const partners = before.filter(
      ({ group, channel }) =>
        group !== undefined && group === old.group && channel.id !== old.channel.id,
    );
    const was = series([
      t(modeKey(old)),
      namesOf(old.languages, ctx).join(', '),
      partners.length > 0 && mentionsOf(partners),
    ]);
    return [t('autotranslate.replaced', { channel: channelMention(watch.channel), before: was })];
  });
  const left = services.watches.list(here.space).map(({ channel }) => channel.id);
  const ended = before.filter(({ channel }) => !left.includes(channel.id));
  return [
    ...replaced,
    ...ended.map(({ channel }) => t('autotranslate.ended', { channel: channelMention(channel) })),
  ];
};

/** Explains what keeps translations from coming although they are set. */
const obstacleLines = async (
  watches: readonly ChannelWatch[],
  ctx: Context,
): Promise<Maybe<RichText>[]> => {
  const { services, channel: here, t } = ctx;
  const choices = await services.spaces.of(here.space);
  const quiet = watches.filter(({ channel }) => isQuiet(channel, choices));
  const wanted = [...new Set(watches.flatMap(({ languages }) => languages))];
  // In a group only its own languages are translated, elsewhere whatever people write.
  const translates = async (to: string): Promise<boolean | undefined> => {
    if (watches[0]?.group === undefined) return services.translates(to);
    const sources = wanted.filter((from) => from !== to);
    const answers = await Promise.all(sources.map((from) => services.translates(to, from)));
    return answers.some((answer) => answer !== false);
  };
  const answers = await Promise.all(wanted.map(translates));
  const missing = wanted.filter((_, place) => answers[place] === false);
  return [
    missing.length > 0 &&
      t('autotranslate.no-engine', {
        languages: namesOf(missing, ctx).join(', '),
        count: missing.length,
      }),
    quiet.length > 0 &&
      t('autotranslate.quiet', { channels: mentionsOf(quiet), count: quiet.length }),
  ];
};

/** Sets the watches; resolves with what people have to know besides. */
const setAndWarn = async (
  watches: readonly ChannelWatch[],
  ctx: Context,
): Promise<RichText | undefined> => {
  const { access, services, channel } = ctx;
  await access.demand(
    watches.map((watch) => watch.channel),
    'write',
  );
  const before = services.watches.list(channel.space);
  await services.watches.set(watches);
  const warnings = [
    ...replacedLines(watches, before, ctx),
    ...(await obstacleLines(watches, ctx)),
  ].map((line) => line && sentence('⚠️ ', line));
  return warnings.some(Boolean) ? lines(...warnings) : undefined;
};

const switches = {
  'voice-messages': z.boolean().default(true),
  bots: z.boolean().default(false),
};
type Switches = z.infer<z.ZodObject<typeof switches>>;

const switchLines = async (options: Switches, ctx: Context): Promise<RichText> => {
  const { t } = ctx;
  const voice = options['voice-messages']
    ? (await hears(ctx))
      ? 'autotranslate.voice-messages'
      : 'autotranslate.no-recognition'
    : 'autotranslate.no-voice-messages';
  return lines(t(voice), t(options.bots ? 'autotranslate.bots' : 'autotranslate.no-bots'));
};

const inPlaceOptions = {
  languages: listOption(),
  channel: channelOption().optional(),
  ...switches,
};
const belowOption = z.boolean().default(false).meta({ needs: 'reply-threads' });

const inPlace = (mode: 'reply' | 'thread') =>
  defineAction({
    options: z.object(inPlaceOptions).extend(mode === 'reply' ? { below: belowOption } : {}),
    complete: { languages: completeLanguages },
    guards: [moderator],
    slow: true,
    async run(ctx) {
      const { options, services, t, reply } = ctx;
      const channel = channelOf(ctx);
      const languages = typedLanguages(options.languages, services);
      const watch: ChannelWatch = {
        channel,
        mode,
        languages,
        transcribes: options['voice-messages'],
        bots: options.bots,
        ...(options.below ? { below: true } : {}),
      };
      const warnings = await setAndWarn([watch], ctx);
      await reply({
        text: sections(
          lines(
            t(watch.below ? 'autotranslate.below' : `autotranslate.${mode}`, {
              channel: channelMention(channel),
              count: languages.length,
            }),
            bullets(...namesOf(languages, ctx)),
          ),
          lines(t('autotranslate.skips'), await switchLines(options, ctx)),
          warnings,
        ),
      });
    },
  });

const mirror = defineAction({
  options: z.object({ channels: richText({ max: LONGEST_LIST_CHARS }), ...switches }),
  guards: [moderator],
  slow: true,
  async run(ctx) {
    const { options, services, channel, t, reply } = ctx;
    const { space } = channel;
    const typed = readChannels(options.channels, services.languages, space.platform);
    if (!typed || typed.length === 0) throw userError('bad-input', 'autotranslate.mirror-how');
    if (typed.length < FEWEST_CHANNELS || typed.length > MOST_CHANNELS)
      throw userError('bad-input', 'autotranslate.how-many-channels', {
        fewest: FEWEST_CHANNELS,
        most: MOST_CHANNELS,
      });
    const twice = typed.find(({ id }, place) => typed.findIndex((each) => each.id === id) < place);
    if (twice)
      throw userError('bad-input', 'autotranslate.channel-twice', {
        channel: channelMention({ space, id: twice.id }),
      });
    const group = crypto.randomUUID();
    const watches = typed.map(({ id, language, typed: name }): ChannelWatch => {
      if (language === undefined)
        throw userError('bad-input', 'autotranslate.channel-language', {
          channel: channelMention({ space, id }),
          language: name === '' ? '–' : typedCode(name),
        });
      return {
        channel: { space, id },
        mode: 'mirror',
        languages: [language],
        group,
        transcribes: options['voice-messages'],
        bots: options.bots,
      };
    });
    if (new Set(watches.flatMap(({ languages }) => languages)).size < 2)
      throw userError('bad-input', 'autotranslate.one-language');
    const warnings = await setAndWarn(watches, ctx);
    const linked = watches.map((watch) =>
      series([channelMention(watch.channel), ...namesOf(watch.languages, ctx)]),
    );
    await reply({
      text: sections(
        lines(t('autotranslate.mirror'), bullets(...linked)),
        await switchLines(options, ctx),
        warnings,
      ),
    });
  },
});

const link = defineAction({
  options: z.object({
    language: z.string().min(1).max(LONGEST_LIST_CHARS).optional(),
    code: z.string().min(1).max(LONGEST_CODE_CHARS).optional(),
    channel: channelOption().optional(),
    ...switches,
  }),
  complete: { language: completeLanguage },
  guards: [moderator],
  private: true,
  slow: true,
  async run(ctx) {
    const { access, options, services, t, reply } = ctx;
    const channel = channelOf(ctx);
    await access.demand([channel], 'write');
    const existing = services.watches.of(channel);
    const known = existing?.mode === 'mirror' ? existing.languages[0] : undefined;
    const language = options.language ? typedLanguage(options.language, services) : known;
    if (language === undefined) throw userError('bad-input', 'autotranslate.link-language');
    const isUnchanged = existing?.mode === 'mirror' && language === known;
    const watch: ChannelWatch = isUnchanged
      ? existing
      : {
          channel,
          mode: 'mirror',
          languages: [language],
          transcribes: options['voice-messages'],
          bots: options.bots,
        };
    if (options.code === undefined) {
      const { code: made, expiresMs } = await services.watches.invite(watch);
      const until = timestamp(Math.floor(expiresMs / SECOND_MS), 't');
      return reply({
        text: t('autotranslate.link-code', {
          code: code(made),
          until,
          channel: channelMention(channel),
        }),
      });
    }
    const all = await services.watches.link(options.code, watch);
    const own = all.filter(({ channel: { space } }) => space.id === channel.space.id);
    const lined = own.map((each) =>
      series([channelMention(each.channel), ...namesOf(each.languages, ctx)]),
    );
    const elsewhere = all.length - own.length;
    const warnings = await obstacleLines(all, ctx);
    await reply({
      text: sections(
        lines(
          t('autotranslate.mirror'),
          bullets(...lined, elsewhere > 0 && t('autotranslate.elsewhere', { count: elsewhere })),
        ),
        await switchLines(options, ctx),
        warnings.some(Boolean) && lines(...warnings.map((each) => each && sentence('⚠️ ', each))),
      ),
    });
  },
});

const off = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  async run(ctx) {
    const { channel: here, options, services, t, reply } = ctx;
    // A thread may be a mirror of its own; else it goes by its channel.
    const own = services.watches.list(here.space).find((watch) => watch.channel.id === here.id);
    const channel = (options.channel === undefined ? own?.channel : undefined) ?? channelOf(ctx);
    const { group } = services.watches.of(channel) ?? {};
    const others = services.watches
      .list(channel.space)
      .filter((watch) => group !== undefined && watch.group === group)
      .filter((watch) => watch.channel.id !== channel.id);
    if (!(await services.watches.remove(channel)))
      return reply({
        text: t('autotranslate.not-on', { channel: channelMention(channel) }),
        tone: 'note',
      });
    // A group of one channel is none.
    const last = others.length === 1 ? others[0]?.channel : undefined;
    await reply({
      text: lines(
        t('autotranslate.off', { channel: channelMention(channel) }),
        last && t('autotranslate.off-too', { channel: channelMention(last) }),
      ),
    });
  },
});

/** Says how many channels elsewhere are linked with those of a group. */
const elsewhereLine = (
  watch: ChannelWatch | undefined,
  { services, t }: Context,
): Maybe<RichText> => {
  const count = watch ? services.watches.elsewhere(watch) : 0;
  return count > 0 && t('autotranslate.elsewhere', { count });
};

const list = defineAction({
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { access, services, channel, t, reply } = ctx;
    const all = services.watches.list(channel.space);
    const watches = await access.seen(all, (watch) => watch.channel);
    if (all.length === 0) return reply({ text: t('autotranslate.none'), tone: 'note' });
    const line = (watch: ChannelWatch): RichText =>
      series([
        channelMention(watch.channel),
        t(modeKey(watch)),
        namesOf(watch.languages, ctx).join(', '),
        watch.transcribes && t('autotranslate.with-voice-messages'),
        watch.bots && t('autotranslate.with-bots'),
      ]);
    const groups = Map.groupBy(watches, ({ group }) => group);
    const items = [...groups].flatMap(([group, members]): (RichText | ListItem)[] =>
      group === undefined
        ? members.map(line)
        : [
            nested(t('autotranslate.group', { count: members.length }), [
              ...members.map(line),
              elsewhereLine(members[0], ctx),
            ]),
          ],
    );
    await reply({
      text: lines(
        t('autotranslate.heading', { count: all.length }),
        bullets(...items, hiddenNote(all, watches, ctx)),
      ),
    });
  },
});

export default defineCommandGroup(
  'autotranslate',
  { reply: inPlace('reply'), thread: inPlace('thread'), mirror, link, off, list },
  { needs: 'watch', topic: 'channels' },
);
