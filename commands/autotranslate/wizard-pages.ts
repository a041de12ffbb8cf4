import { button, listOf, menu, say, shorten } from '../../src/command/helpers.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention, type Channel } from '../../src/model/place.ts';
import {
  placeKind,
  SETUP_FORMS,
  withRoles,
  type Setup,
  type SetupChoices,
  type SetupForm,
} from '../../src/model/setup.ts';
import { MOST_CHANNELS, type ChannelWatch } from '../../src/model/space.ts';
import type { SetupLook } from '../../src/command/services.ts';
import type { LeftThing } from '../../src/ports/builder.ts';
import {
  bullets,
  lines,
  plainWords,
  sections,
  sentence,
  series,
} from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { demandChange, groupHere } from './change.ts';
import { namesOf, changer, replacedLine } from './context.ts';
import { languageControl, type PanelContext } from './panel-controls.ts';
import { back } from './panel-pages.ts';

/** Groups that are listed. */
const LISTED = 10;
/** Channels that are named before they are made, of all groups together, and the longest name of one. */
const NAMED = 24;
const NAME_CHARS = 30;
/** Setups of which is said that they are replaced. */
const REPLACED = 5;

/** The forms that the platform can make. */
export const formsOf = ({ services, channel }: PanelContext): readonly SetupForm[] => {
  const offered = services.setups.offers(channel.space);
  return SETUP_FORMS.filter(
    (form) =>
      (offered?.threads || !form.startsWith('threads')) && (offered?.roles || !form.includes('-')),
  );
};

/** The person who asks, with what they may decide about. */
export const asking = (ctx: PanelContext) => ({
  by: changer(ctx),
  person: ctx.member,
  admit: async (channels: readonly Channel[]) => demandChange(channels, ctx),
  signal: ctx.signal,
});

/** Says what would be made and replaced, and what keeps that from being done. */
const lookLines = (
  { count, names, faults, replaced }: SetupLook,
  choices: SetupChoices,
  ctx: PanelContext,
): RichText => {
  const {
    channel: { space },
    locale,
    t,
  } = ctx;
  const more = (all: number, most: number) =>
    all > most ? [t('settings.more', { count: all - most })] : [];
  const made = Object.entries(names);
  const most = Math.max(1, Math.floor(NAMED / Math.min(made.length, LISTED)));
  const said = Map.groupBy(faults, ({ error }) => plainText(say(t, error.sentence)));
  const warnings = [
    ...[...said.values()].map((same) => {
      const places = same.flatMap(({ channel }) => (channel ? [channelMention(channel)] : []));
      return series([
        places.length > 0 && series(places.slice(0, LISTED), ' '),
        same[0] && say(t, same[0].error.sentence),
      ]);
    }),
    ...replaced.slice(0, REPLACED).map((old) => replacedLine(old, ctx)),
    ...more(replaced.length, REPLACED),
  ];
  return sections(
    lines(
      t('autotranslate.wizard-count', { count, kind: placeKind(choices) }),
      bullets(
        ...made.slice(0, LISTED).map(([id, all]) =>
          series([
            channelMention({ space, id }),
            listOf(
              all.slice(0, most).map((name) => plainWords(shorten(name, NAME_CHARS))),
              locale,
            ),
            ...more(all.length, most),
          ]),
        ),
        ...more(made.length, LISTED),
      ),
    ),
    lines(...warnings.map((line) => sentence('⚠️ ', line))),
  );
};

/**
 * The page on which everything is chosen.
 *
 * @param found languages that were searched for
 * @param isRefused says below by itself why it cannot be made
 */
export const wizardPage = async (
  ctx: PanelContext,
  setup: Setup,
  found?: readonly string[],
  isRefused = false,
): Promise<Content> => {
  const { access, services, channel, label, t } = ctx;
  const { id } = setup;
  const { space } = channel;
  const forms = formsOf(ctx);
  const look = await services.setups.look(space, setup.choices, asking(ctx));
  const { refusal, gone = [] } = look;
  const channels = setup.choices.channels.filter((each) =>
    gone.every((fault) => fault.channel?.id !== each),
  );
  const choices = { ...setup.choices, channels };
  // What is left can be made.
  if (gone.length > 0) await services.setups.choose(space, id, { channels });
  const seen = await access.seen(channels, (each) => ({ space, id: each }));
  // Who does not see a channel is told nothing of it.
  const shown =
    seen.length === choices.channels.length
      ? look
      : { ...look, names: {}, faults: look.faults.slice(0, 1), replaced: [] };
  const faults = shown.faults.filter(({ error }) => error.sentence.key !== refusal?.sentence.key);
  const press = (name: string): string => `autotranslate ${name}:${id}`;
  return {
    text: sections(
      lines(
        t('autotranslate.wizard-how', { kind: placeKind(choices) }),
        // A menu in which something is chosen shows no label.
        series([t('autotranslate.wizard-from'), ...namesOf([choices.from], ctx)]),
      ),
      !isRefused && lines(...gone.map(({ error }) => sentence('⚠️ ', say(t, error.sentence)))),
      refusal && !isRefused && sentence('⚠️ ', say(t, refusal.sentence)),
      look.count > 0 && lookLines({ ...shown, faults: isRefused ? [] : faults }, choices, ctx),
    ),
    controls: [
      {
        kind: 'channels',
        press: press('sources'),
        label: label('autotranslate.wizard-channels'),
        chosen: seen,
      },
      languageControl(
        {
          press: press('into'),
          label: 'autotranslate.wizard-languages',
          chosen: choices.languages,
          most: MOST_CHANNELS,
          ...(found ? { found } : {}),
        },
        ctx,
      ),
      languageControl(
        {
          press: press('spoken'),
          label: 'autotranslate.wizard-from',
          chosen: [choices.from],
          ...(found ? { found } : {}),
        },
        ctx,
      ),
      ...(forms.length > 1
        ? [
            menu(press('form'), label('autotranslate.wizard-form'), {
              values: forms,
              labelOf: (form) => label(`autotranslate.wizard-forms.${form}`),
              chosen: [choices.form],
            }),
          ]
        : []),
      ...(look.count > 0 && !refusal
        ? [button(ctx, press('make'), 'autotranslate.wizard-make', 'primary')]
        : []),
      button(ctx, press('findinto'), 'autotranslate.panel-find'),
      back(ctx),
    ],
  };
};

export const progressPage = ({ t }: PanelContext, done: number, all: number): Content => ({
  text: t('autotranslate.wizard-making', { done, all }),
});

/** The page of a set-up whose making did not end. */
export const unfinishedPage = (ctx: PanelContext, { id, work }: Setup): Content => ({
  text: lines(
    ctx.t('autotranslate.wizard-unfinished', {
      done: Object.keys(work?.made ?? {}).length,
      all: work?.steps.length ?? 0,
    }),
    ctx.t('autotranslate.wizard-undo-how'),
  ),
  controls: [
    button(ctx, `autotranslate make:${id}`, 'autotranslate.wizard-continue', 'primary'),
    button(ctx, `autotranslate undo:${id}`, 'autotranslate.wizard-undo', 'danger'),
    back(ctx),
  ],
});

/** Says that all is undone, and names what is left. */
export const undonePage = (
  { channel: { space }, t }: PanelContext,
  left: readonly LeftThing[],
): Content => ({
  text: lines(
    t('autotranslate.wizard-undone'),
    left.length > 0 && t('autotranslate.wizard-left'),
    bullets(
      ...left.map(({ kind, id, name }) =>
        kind === 'role' ? plainWords(name) : channelMention({ space, id }),
      ),
    ),
  ),
});

/** Says what was made and linked, and asks where members are to find the buttons for their roles. */
export const donePage = async (
  ctx: PanelContext,
  choices: SetupChoices,
  linked: readonly ChannelWatch[],
): Promise<Content> => {
  const { channel, locale, t } = ctx;
  const { space } = channel;
  const groups = choices.channels.slice(0, LISTED).map((id) => {
    const group = linked.find((watch) => watch.channel.id === id)?.group;
    const others = linked.filter(
      (watch) => watch.channel.id !== id && (group === undefined || watch.group === group),
    );
    const made = others
      .flatMap(({ languages }) => languages)
      .filter((each) => choices.languages.includes(each));
    const names = namesOf([...new Set(made)], ctx);
    const kept = groupHere({ space, id }, ctx).length - 1 - made.length;
    return series([
      channelMention({ space, id }),
      names.length > 0 && listOf(names, locale),
      kept > 0 && t('autotranslate.wizard-kept', { count: kept }),
    ]);
  });
  return {
    text: lines(t('autotranslate.wizard-done', { kind: placeKind(choices) }), bullets(...groups)),
    controls: [
      ...(withRoles(choices)
        ? [
            {
              kind: 'channels' as const,
              single: true as const,
              press: 'autotranslate roles',
              label: ctx.label('autotranslate.wizard-where'),
              chosen: [],
            },
          ]
        : []),
      back(ctx),
    ],
  };
};
