import { z } from 'zod';
import {
  channelOption,
  defineAction,
  moderator,
  type Press,
  type PressContext,
} from '../../src/command/command.ts';
import {
  button,
  completeLanguage,
  listOf,
  quotedWords,
  say,
  typedLanguage,
} from '../../src/command/helpers.ts';
import { toAppError, userError } from '../../src/errors.ts';
import { bullets, lines, sections, sentence, series } from '../../src/rich-text/compose.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention, keyOf, type Channel } from '../../src/model/place.ts';
import { code, timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import type { LinkStep } from '../../src/model/watches.ts';
import { groupHere } from './change.ts';
import { partingLine } from './off.ts';
import { codeControls } from './members.ts';
import type { PanelContext } from './panel-controls.ts';
import { languagePage } from './panel-link.ts';
import { back } from './panel-pages.ts';
import {
  ageOption,
  chosenChannel,
  demandLinked,
  demandSeen,
  linkedLine,
  linkWarning,
  switches,
  switchLines,
  obstacleLines,
  standingLines,
  markNow,
  type Context,
  type Switches,
} from './context.ts';

const LONGEST_LANGUAGE_CHARS = 2_000;
export const LONGEST_CODE_CHARS = 40;
const SECOND_MS = 1_000;
const MOST_NAMED = 5;

/** Names the channels in which a link shows what is written in a channel elsewhere, this one included. */
const linkedNames = async (channel: Channel, ctx: Context): Promise<RichText> => {
  const { services, t } = ctx;
  const group = groupHere(channel, ctx);
  const [watch] = group;
  const own = group.map((each) => channelMention(each.channel));
  const elsewhere = watch ? await services.watches.members(watch) : [];
  const all = [
    ...(own.length > 0 ? own : [channelMention(channel)]),
    ...elsewhere.map(({ name }) => name),
  ];
  const left = all.length - MOST_NAMED;
  if (left <= 0) return listOf(all, ctx.locale, 'long');
  const named = listOf(all.slice(0, MOST_NAMED), ctx.locale);
  return series([named, t('settings.more', { count: left })], ' ');
};

/** The watch with which a channel is linked: its own one, where it is linked already and keeps its language. */
const watchToLink = (
  channel: Channel,
  language: string | undefined,
  { services }: Context,
  { 'voice-messages': transcribes, bots }: Switches,
): ChannelWatch => {
  const existing = services.watches.of(channel);
  const linked = existing?.mode === 'mirror' ? existing : undefined;
  const wanted = language ?? linked?.languages[0];
  if (wanted === undefined) throw userError('bad-input', 'autotranslate.link-language');
  return linked?.languages[0] === wanted
    ? linked
    : { channel, mode: 'mirror', languages: [wanted], transcribes, bots };
};

/** Throws `forbidden` where the person may not link a channel. */
const demandLink = async (
  { channel }: Pick<ChannelWatch, 'channel'>,
  ctx: Context,
): Promise<void> => {
  await ctx.access.demand([channel], 'write');
  await demandLinked([channel], ctx);
};

/** Makes a code by which a channel elsewhere can be linked with one here, and says what it does. */
const makeCode = async (
  watch: ChannelWatch,
  mayMixAges: boolean,
  ctx: Context,
): Promise<RichText> => {
  const { services, member, t, label } = ctx;
  await demandLink(watch, ctx);
  const { space } = watch.channel;
  const { moderators } = await services.spaces.of(space);
  const { code: made, expiresMs } = await services.watches.invite(watch, mayMixAges, member);
  return sections(
    t('autotranslate.link-code', {
      code: code(made),
      // The other side may be on either platform.
      discord: code('/autotranslate link'),
      slack: code('/dragoman autotranslate link'),
      entry: label('autotranslate.link-enter'),
      until: timestamp(Math.floor(expiresMs / SECOND_MS), 't'),
      // Where the question will stand.
      channel: channelMention(moderators ? { space, id: moderators.channel } : watch.channel),
      channels: await linkedNames(watch.channel, ctx),
    }),
    linkWarning(watch.channel, ctx),
  );
};

/** Says what a code would link a channel with, with the button that asks for it. */
const useCode = async (
  typed: string,
  watch: ChannelWatch,
  mayMixAges: boolean,
  ctx: Context,
): Promise<Content> => {
  const { services, channel, t } = ctx;
  await demandLink(watch, ctx);
  const proposal = await services.watches.propose(typed, watch, {
    admit: (own) => demandSeen(own, ctx),
    mayMixAges,
    by: ctx.member,
  });
  const { id, by, names, asksOther, isLater, watches } = proposal;
  const own = watches.filter(({ channel: { space } }) => keyOf(space) === keyOf(channel.space));
  const lined = own.map((each) => linkedLine(each, ctx));
  const elsewhere = watches.length - own.length;
  const parting = await partingLine(watch.channel, ctx);
  const warnings = [parting, ...(await obstacleLines(watches, ctx))];
  return {
    text: sections(
      t('autotranslate.link-see', {
        channel: channelMention(watch.channel),
        channels: listOf(names, ctx.locale, 'long'),
        name: quotedWords(by ?? '–'),
      }),
      lines(
        t(asksOther ? 'autotranslate.link-see-agree' : 'autotranslate.link-see-own'),
        isLater && t('autotranslate.link-see-later', { channel: channelMention(watch.channel) }),
      ),
      bullets(...lined, elsewhere > 0 && t('autotranslate.elsewhere', { count: elsewhere })),
      await switchLines({ 'voice-messages': watch.transcribes, bots: watch.bots }, ctx),
      linkWarning(watch.channel, ctx),
      warnings.some(Boolean) && lines(...warnings.map((each) => each && sentence('⚠️ ', each))),
    ),
    controls: [askButton(id, watch.channel, ctx)],
  };
};

/** The switches of a link as a control carries them. */
const FLAGS = { v: 'voice-messages', b: 'bots', a: 'age-restricted' } as const;
/** The switches of a link that is made where none can be set. */
export const USUAL_FLAGS = 'v';
type Flagged = Readonly<Record<(typeof FLAGS)[keyof typeof FLAGS], boolean>>;

const flagsOf = (options: Flagged): string =>
  Object.entries(FLAGS)
    .filter(([, name]) => options[name])
    .map(([flag]) => flag)
    .join('');

/**
 * Asks for the language of a channel that is to be linked.
 *
 * @param chosen the id of the channel, the code (empty where one is to be made) and the switches
 */
export const codeLanguagePage = async (
  chosen: string,
  ctx: PanelContext,
  found?: readonly string[],
): Promise<Content> => {
  const [id = ''] = chosen.split('/');
  await demandLink({ channel: { space: ctx.channel.space, id } }, ctx);
  const presses = {
    press: `autotranslate codeas:${chosen}`,
    find: `autotranslate findcode:${chosen}`,
    id,
  };
  return languagePage(ctx, id, presses, found);
};

/** Leaves out what is typed around the letters and digits of a code. */
export const readCode = (typed: string): string => typed.replaceAll(/[^0-9A-Za-z]/g, '') || '-';

/**
 * Makes a code, or uses the one that was typed; asks first for the language of a channel that is linked with none yet.
 *
 * @param asked as `codeLanguagePage` takes it
 */
export const linkByCode = async (
  asked: string,
  language: string | undefined,
  ctx: PanelContext,
): Promise<Content> => {
  const { services } = ctx;
  const [id = '', typed = '', flags = ''] = asked.split('/');
  const channel = { space: ctx.channel.space, id };
  await demandLink({ channel }, ctx);
  if (typed !== '') await services.watches.demandCode(typed);
  if (language === undefined && services.watches.of(channel)?.mode !== 'mirror')
    return codeLanguagePage(asked, ctx);
  const set = Object.entries(FLAGS).map(([flag, name]) => [name, flags.includes(flag)] as const);
  const options = Object.fromEntries(set) as Flagged;
  const watch = watchToLink(channel, language, ctx, options);
  const mixes = options['age-restricted'];
  const { text, controls = [] }: Content =
    typed === ''
      ? { text: await makeCode(watch, mixes, ctx) }
      : await useCode(typed, watch, mixes, ctx);
  return { text, controls: [...controls, back(ctx, `autotranslate links:${id}`)] };
};

/** Offers to make a code or to enter one, after what was refused. */
const codesPage = async (
  channel: Channel,
  flags: string,
  ctx: PanelContext,
  refused?: RichText,
): Promise<Content> => {
  await demandLink({ channel }, ctx);
  return {
    text: sections(
      refused && sentence('⚠️ ', refused),
      ctx.t('autotranslate.link-codes', { channel: channelMention(channel) }),
      linkWarning(channel, ctx),
    ),
    controls: [
      ...codeControls(ctx, `${channel.id}//${flags}`),
      back(ctx, `autotranslate links:${channel.id}`),
    ],
  };
};

/** A code as it is shown. */
const SHOWN_CODE = /^\s*\w{4}-\w{4}-\w{4}\s*$/;

/** `/autotranslate link`: links a channel with one of another space, by a code that one side makes and the other one types; both are asked. */
export const linkAction = defineAction({
  options: z.object({
    language: z.string().min(1).max(LONGEST_LANGUAGE_CHARS).optional(),
    code: z.string().min(1).max(LONGEST_CODE_CHARS).optional(),
    channel: channelOption().optional(),
    ...switches,
    'age-restricted': ageOption.meta({ needs: 'age-restrictions' }),
  }),
  complete: { language: completeLanguage },
  guards: [moderator],
  private: true,
  slow: true,
  async run(ctx) {
    const { options, services, reply, t } = ctx;
    // Who types a code alone means no language.
    const isCode = options.code === undefined && SHOWN_CODE.test(options.language ?? '');
    const [named, typed] = isCode
      ? [undefined, options.language]
      : [options.language, options.code];
    const language = named ? typedLanguage(named, services) : undefined;
    const channel = chosenChannel(ctx);
    const flags = flagsOf(options);
    if (!named && !typed) return reply(await codesPage(channel, flags, ctx));
    try {
      const asked = `${channel.id}/${typed ? readCode(typed) : ''}/${flags}`;
      await reply(await linkByCode(asked, language, ctx));
    } catch (thrown) {
      const said = toAppError(thrown).sentence;
      if (said.key !== 'autotranslate.link-unknown') throw thrown;
      await reply(await codesPage(channel, flags, ctx, say(t, said)));
    }
  },
});

/** Admits a person to channels of their own space that a link would be made of. */
export const admitTo =
  (ctx: PressContext) =>
  async (own: readonly ChannelWatch[]): Promise<void> => {
    await demandSeen(own, ctx);
    await demandLinked(
      own.map(({ channel }) => channel),
      ctx,
    );
  };

/** Says what became of a request to who presses a button that its message no longer shows. */
const sayState =
  (side: 'invited' | 'joining'): NonNullable<Press['over']> =>
  async ({ services, channel, arg, reply, t }) => {
    const [id = ''] = arg.split('/');
    const state = id && (await services.watches.stateOf(id, channel.space, side));
    if (state === 'over') throw userError('not-found', 'autotranslate.link-over');
    if (state !== 'asked' || side === 'invited')
      throw userError('not-found', 'errors.unknown-press');
    await reply({ text: t('autotranslate.link-asked') });
  };

/** Shows its answer to the presser alone: the question stays for those who may answer it. */
const press = (run: (ctx: PressContext) => Promise<Content>): Press => ({
  guards: [moderator],
  private: true,
  over: sayState('joining'),
  run: async (ctx) => ctx.reply(await run(ctx)),
});

/** @param id that of the request */
const askButton = (id: string, own: Channel, ctx: Pick<PressContext, 'label' | 'services'>) =>
  button(
    ctx,
    `autotranslate ask:${id}/${own.id}/${markNow(own, ctx)}`,
    'autotranslate.link-yes',
    'primary',
  );

/** An answer takes the place of the question, whose buttons are of no use any more. */
const answer = (isAgreed: boolean): Press => ({
  guards: [moderator],
  over: sayState('invited'),
  async run(ctx) {
    const { services, channel, arg, reply } = ctx;
    // Others read the question, too.
    const { t } = await ctx.forReaders();
    const own = t(isAgreed ? 'autotranslate.link-done' : 'autotranslate.link-refused');
    const admit = admitTo(ctx);
    const [id = '', seen] = arg.split('/');
    const said = await services.watches.answer(id, channel.space, isAgreed, admit, channel, seen);
    await reply(said ?? { text: own });
  },
});

/** The two answers that a link needs: `ask` of the side that uses a code, the others of the side that made it. */
export const linkPresses: Readonly<Record<string, Press>> = {
  ask: press(async (ctx) => {
    const { services, channel, arg, t } = ctx;
    const [id = '', own = channel.id, said] = arg.split('/');
    const place = { space: channel.space, id: own };
    let became: LinkStep;
    try {
      became = await services.watches.ask(id, channel.space, admitTo(ctx), said);
    } catch (thrown) {
      if (toAppError(thrown).sentence.key !== 'autotranslate.panel-changed') throw thrown;
      const about = { channel: channelMention(place) };
      const now = linkWarning(place, ctx) ?? (await partingLine(place, ctx));
      const text = lines(
        t('autotranslate.panel-changed', about),
        now ?? t('autotranslate.not-on', about),
      );
      return { text, controls: [askButton(id, place, ctx)] };
    }
    const toPage = button(ctx, `autotranslate links:${own}`, 'settings.back');
    const standing = await standingLines([place], ctx);
    if (became === 'linked')
      return { text: lines(t('autotranslate.link-done'), ...standing), controls: [toPage] };
    return became === 'asked'
      ? { text: t('autotranslate.link-asked'), controls: [toPage] }
      : { text: t('autotranslate.link-unasked'), controls: [askButton(id, place, ctx), toPage] };
  }),
  link: answer(true),
  refuse: answer(false),
};
