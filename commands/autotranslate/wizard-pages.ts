import { button, listOf } from '../../src/command/helpers.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention } from '../../src/model/place.ts';
import {
  placeKind,
  SETUP_FORMS,
  withRoles,
  type Setup,
  type SetupChoices,
  type SetupForm,
} from '../../src/model/setup.ts';
import { MOST_CHANNELS, type ChannelWatch } from '../../src/model/space.ts';
import type { LeftThing } from '../../src/ports/builder.ts';
import { bullets, lines, plainWords, sections, series } from '../../src/rich-text/compose.ts';
import { namesOf } from './context.ts';
import { languageControl, type PanelContext } from './panel-controls.ts';
import { back } from './panel-pages.ts';

/** Groups that are listed when they are made. */
const LISTED = 10;

/** The forms that the platform can make. */
export const formsOf = ({ services, channel }: PanelContext): readonly SetupForm[] => {
  const offered = services.setups.offers(channel.space);
  return SETUP_FORMS.filter(
    (form) =>
      (offered?.threads || !form.startsWith('threads')) && (offered?.roles || !form.includes('-')),
  );
};

/**
 * The page on which everything is chosen.
 *
 * @param found languages that were searched for
 */
export const wizardPage = async (
  ctx: PanelContext,
  setup: Setup,
  found?: readonly string[],
): Promise<Content> => {
  const { access, services, channel, label, t } = ctx;
  const { id, choices } = setup;
  const { space } = channel;
  const forms = formsOf(ctx);
  const seen = await access.seen(choices.channels, (each) => ({ space, id: each }));
  const count = services.setups.count(space, choices);
  const press = (name: string): string => `autotranslate ${name}:${id}`;
  return {
    text: sections(
      t('autotranslate.wizard-how'),
      count > 0 && t('autotranslate.wizard-count', { count, kind: placeKind(choices) }),
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
        { press: press('spoken'), label: 'autotranslate.wizard-from', chosen: [choices.from] },
        ctx,
      ),
      ...(forms.length > 1
        ? [
            {
              kind: 'choice' as const,
              press: press('form'),
              label: label('autotranslate.wizard-form'),
              choices: forms.map((value) => ({
                value,
                label: label(`autotranslate.wizard-forms.${value}`),
                chosen: value === choices.form,
              })),
            },
          ]
        : []),
      ...(count > 0 ? [button(ctx, press('make'), 'autotranslate.wizard-make', 'primary')] : []),
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
    const names = namesOf([...new Set(others.flatMap(({ languages }) => languages))], ctx);
    return series([channelMention({ space, id }), names.length > 0 && listOf(names, locale)]);
  });
  return {
    text: lines(t('autotranslate.wizard-done'), bullets(...groups)),
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
