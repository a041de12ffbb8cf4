import {
  button,
  hiddenNote,
  menu,
  MOST_LANGUAGES,
  quotedWords,
  say,
} from '../../src/command/helpers.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { channelAround, channelMention } from '../../src/model/place.ts';
import type { Setup } from '../../src/model/setup.ts';
import { hasRules, isPaused, type ChannelWatch, type WatchMode } from '../../src/model/space.ts';
import {
  bullets,
  lines,
  sections,
  sentence,
  series,
  type Maybe,
} from '../../src/rich-text/compose.ts';
import { codeBlock, type RichText } from '../../src/rich-text/rich-text.ts';
import { groupHere } from './change.ts';
import { endQuestion, offerFormer } from './off.ts';
import { watchCounts, watchLine } from '../../src/command/watch-line.ts';
import { obstacleLines } from './context.ts';
import { elsewhereLines, groupHeading } from './group.ts';
import { openLinksElsewhere } from './open-links.ts';
import { channelNamed, languageControl, watchOf, type PanelContext } from './panel-controls.ts';

/** Channels that are listed at once. */
const LISTED = 10;

export type ShownMode = Exclude<WatchMode, 'mirror'> | 'below';

/** The line of a translation under its message, by mode. */
const TRANSLATED: Readonly<Record<Exclude<ShownMode, 'request'>, (language: string) => string>> = {
  reply: (language) => ` └ ${language}: …`,
  compact: (language) => ` · ${language}: …`,
  below: (language) => `${language}: …`,
  thread: (language) => ` 🧵 ${language}\n   └ …`,
};

/** A picture of a message and its translations into the languages of a channel; none of linked ones, which are listed. */
const picture = (watch: ChannelWatch, { member, services }: PanelContext): Maybe<RichText> => {
  const mode = modeOf(watch);
  if (mode === 'mirror') return undefined;
  const shown =
    mode === 'request'
      ? ['[ 🌐 … ]']
      : watch.languages.map((code) => TRANSLATED[mode](services.languages.name(code, code)));
  return [codeBlock([`${quotedWords(member.name)}: …`, ...shown].join('\n'))];
};

/** The modes of a channel for itself that the platform has. */
export const shownModes = ({ capabilities }: PanelContext): readonly ShownMode[] => [
  'reply',
  'compact',
  ...(capabilities.repliesInThreads ? (['below'] as const) : []),
  'thread',
  'request',
];

const modeOf = ({ mode, below }: ChannelWatch): WatchMode | 'below' => (below ? 'below' : mode);

export const back = (ctx: PanelContext, press = 'autotranslate page'): Control =>
  button(ctx, press, 'settings.back');

export const channelControl = ({ label }: PanelContext, press: string): Control => ({
  kind: 'channels',
  single: true,
  press,
  label: label('autotranslate.panel-pick'),
  chosen: [],
});

/**
 * The first page: the channels of the space with what they do, as far as the reader sees them.
 *
 * @param from the place of the first one that is listed
 * @param above what is said above it
 */
export const frontPage = async (
  ctx: PanelContext,
  from = 0,
  above?: RichText,
): Promise<Content> => {
  const { access, services, channel, t } = ctx;
  const here = channelAround(channel).id;
  const all = services.watches.list(channel.space);
  const watches = await access.seen(all, (watch) => watch.channel);
  const unfinished = await seenSetups(await services.setups.unfinished(channel.space), ctx);
  const choices = await services.spaces.of(channel.space);
  const open = await openLinksElsewhere(ctx);
  const next = from + LISTED < watches.length ? from + LISTED : 0;
  const listed = watches.slice(from, from + LISTED).map(async (watch) => {
    const elsewhere = services.watches.elsewhere(watch);
    return series([
      await watchLine(watch, choices, ctx),
      elsewhere > 0 && t('autotranslate.elsewhere', { count: elsewhere }),
    ]);
  });
  return {
    text: sections(
      above,
      all.length === 0
        ? t('autotranslate.panel-none')
        : lines(
            t('autotranslate.heading', watchCounts(all)),
            bullets(...(await Promise.all(listed)), hiddenNote(all, watches, ctx)),
          ),
      open.text,
    ),
    controls: [
      channelControl(ctx, 'autotranslate page'),
      ...open.controls,
      ...(services.watches.isTalk(channel)
        ? []
        : [button(ctx, `autotranslate page:${here}`, 'autotranslate.panel-here', 'primary')]),
      ...(services.setups.offers(channel.space)
        ? [button(ctx, 'autotranslate wizard', 'autotranslate.wizard')]
        : []),
      ...unfinished.slice(0, LISTED).map((setup): Control => ({
        kind: 'button',
        press: `autotranslate setup:${setup.id}`,
        label: ctx.label('autotranslate.wizard-open', { name: unfinishedName(setup) }),
      })),
      ...(watches.length > LISTED
        ? [button(ctx, `autotranslate front:${next}`, 'autotranslate.panel-more')]
        : []),
    ],
  };
};

/** The set-ups of which the reader sees every channel: they name them. */
const seenSetups = async (
  setups: readonly Setup[],
  { access, channel: { space } }: PanelContext,
): Promise<readonly Setup[]> => {
  const channels = setups.flatMap((setup) => setup.choices.channels.map((id) => ({ space, id })));
  const seen = await access.seen(channels, (each) => each);
  const ids = new Set(seen.map(({ id }) => id));
  return setups.filter(({ choices }) => choices.channels.every((id) => ids.has(id)));
};

/** The first channel or thread that a set-up makes, by its name. */
const unfinishedName = ({ work }: Setup): string =>
  work?.steps.find(({ kind }) => kind === 'channel' || kind === 'thread')?.name ?? '';

/** Says what keeps translations from coming, or makes them less than they could be. */
const troubleLines = async (
  watch: ChannelWatch,
  ctx: PanelContext,
): Promise<readonly Maybe<RichText>[]> => {
  const { services, t } = ctx;
  const lacking = await services.watches.missing(watch).catch(() => []);
  const drawback = await services.watches.drawback(watch).catch(() => undefined);
  const found = [
    lacking.length > 0 && t('watch.missing', { permissions: { list: lacking } }),
    drawback && say(t, drawback),
    ...(await obstacleLines([watch], ctx)),
  ];
  return found.map((line) => line && sentence('⚠️ ', line));
};

const modeControl = (watch: ChannelWatch, id: string, ctx: PanelContext): Control =>
  menu(`autotranslate mode:${id}`, ctx.label('autotranslate.panel-mode'), {
    values: shownModes(ctx),
    labelOf: (value) => ctx.label(`autotranslate.modes.${value}`),
    chosen: [modeOf(watch)],
  });

/**
 * The page of one channel. Rejects with `forbidden` where the person may not see it.
 *
 * @param found languages that were searched for
 */
export const channelPage = async (
  ctx: PanelContext,
  id: string,
  { above, found }: { readonly above?: Maybe<RichText>; readonly found?: readonly string[] } = {},
): Promise<Content> => {
  const { access, services, t } = ctx;
  const channel = channelNamed(ctx, id);
  await access.demand([channel], 'see');
  const watch = watchOf(ctx, channel);
  const isMirror = watch?.mode === 'mirror';
  const languages = languageControl(
    {
      press: `autotranslate ${isMirror ? 'language' : 'languages'}:${id}`,
      chosen: watch?.languages ?? [],
      ...(found ? { found } : {}),
      ...(isMirror ? {} : { most: MOST_LANGUAGES }),
    },
    ctx,
  );
  const doing = (press: string, key: Parameters<typeof button>[2], look?: 'danger'): Control =>
    button(ctx, `autotranslate ${press}:${id}`, key, look);
  if (!watch) {
    const offer = await offerFormer(channel, ctx);
    return {
      text: sections(
        above,
        t('autotranslate.panel-off', { channel: channelMention(channel) }),
        offer?.text,
      ),
      controls: [
        languages,
        ...(offer ? [offer.control] : []),
        doing('find', 'autotranslate.panel-find'),
        doing('linkstart', 'autotranslate.panel-link'),
        doing('links', 'autotranslate.panel-elsewhere'),
        back(ctx),
      ],
    };
  }
  const linked = groupHere(channel, ctx);
  const shown = linked.length > 0 ? await access.seen(linked, (one) => one.channel) : [watch];
  const elsewhere = isMirror ? await elsewhereLines(shown, ctx) : [];
  const choices = await services.spaces.of(channel.space);
  return {
    text: sections(
      above,
      lines(
        series([
          t('autotranslate.panel-heading', { channel: channelMention(channel) }),
          isMirror && groupHeading(linked, elsewhere, ctx),
        ]),
        bullets(
          ...(await Promise.all(shown.map((each) => watchLine(each, choices, ctx)))),
          ...elsewhere,
          hiddenNote(linked, shown, ctx),
        ),
      ),
      picture(watch, ctx),
      lines(...(await troubleLines(watch, ctx))),
    ),
    controls: [
      languages,
      ...(isMirror || watch.languages.length === 0 ? [] : [modeControl(watch, id, ctx)]),
      doing('find', 'autotranslate.panel-find'),
      doing('preview', 'autotranslate.panel-preview'),
      isPaused(watch)
        ? doing('resume', 'autotranslate.panel-resume')
        : doing('pause', 'autotranslate.panel-pause'),
      ...(isMirror ? [doing('linkstart', 'autotranslate.panel-link')] : []),
      doing('links', 'autotranslate.panel-elsewhere'),
      // Those that a channel on request keeps can be seen and ended.
      ...(watch.mode === 'request' && !hasRules(watch) ? [] : [doing('rules', 'rules.panel')]),
      doing('sure', 'autotranslate.panel-remove', 'danger'),
      back(ctx),
    ],
  };
};

/** Asks once whether auto-translate is to be turned off in a channel. */
export const surePage = async (ctx: PanelContext, id: string): Promise<Content> => {
  const channel = channelNamed(ctx, id);
  await ctx.access.demand([channel], 'see');
  const question = await endQuestion(channel, 'off', ctx);
  return { ...question, controls: [...question.controls, back(ctx, `autotranslate page:${id}`)] };
};
