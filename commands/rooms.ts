import { z } from 'zod';
import {
  defineCommand,
  listOption,
  moderator,
  type AnswerContext,
  type Press,
  type PressContext,
  pressOn,
} from '../src/command/command.ts';
import { USUAL_PAUSE_MS, type RoomChoices } from '../src/model/room.ts';
import {
  button,
  menu,
  switchButton,
  chosenChannels,
  chosenOver,
  seenChannels,
  completeLanguages,
  languageLabel,
  typedLanguage,
  typedLanguages,
  MOST_LANGUAGES,
  offeredLanguages,
} from '../src/command/helpers.ts';
import { roomLines } from '../src/command/setting-lines.ts';
import { bullets, lines } from '../src/rich-text/compose.ts';
import { channelMention } from '../src/model/place.ts';
import type { Content, Control } from '../src/model/message.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

type Page<Ctx = AnswerContext> = (ctx: Ctx, choices: RoomChoices) => Content | Promise<Content>;

/** More are told once these are mended. */
const MOST_HINDRANCES = 5;
const CONSENT = ['told', 'agreed'] as const;
/** Ms. */
const PAUSES = [400, USUAL_PAUSE_MS, 900, 1_500] as const;
const BARGE_IN = ['off', 'lower', 'stop'] as const;

const choicesOf = async ({ services, channel }: AnswerContext): Promise<RoomChoices> =>
  (await services.spaces.of(channel.space)).rooms;

type Change = (now: RoomChoices) => Partial<RoomChoices>;

const change = async (ctx: AnswerContext, how: Change): Promise<void> =>
  ctx.services.spaces.change(ctx.channel.space, ({ rooms }) => ({
    rooms: { ...rooms, ...how(rooms) },
  }));

const back = (ctx: AnswerContext): Control => button(ctx, 'rooms page', 'settings.back');

const front: Page = async (ctx, choices) => {
  const { t } = ctx;
  return {
    text: lines(t('rooms.heading'), bullets(...(await roomLines(choices, ctx)))),
    controls: [
      button(ctx, 'rooms page:joins', 'rooms.page-joins'),
      button(ctx, 'rooms page:heard', 'rooms.page-heard'),
      button(ctx, 'rooms page:captions', 'rooms.page-captions'),
      button(ctx, 'rooms page:speech', 'rooms.page-speech'),
    ],
  };
};

/** Why some of them stay empty of us. */
const hindrances = async (ctx: AnswerContext, { joins: ids }: RoomChoices): Promise<RichText[]> => {
  const {
    services,
    channel: { space },
    t,
  } = ctx;
  const seen = await seenChannels(ids, ctx);
  return seen
    .map((id) => ({ room: { space, id }, missing: services.rooms.missing({ space, id }) }))
    .filter(({ missing }) => missing.length > 0)
    .slice(0, MOST_HINDRANCES)
    .map(({ room, missing }) =>
      t('room.missing', {
        channel: channelMention(room),
        permissions: { list: missing },
      }),
    );
};

const joins: Page = async (ctx, choices) => ({
  text: lines(
    ctx.t('rooms.joins-heading'),
    ctx.t('rooms.joins-how'),
    bullets(...(await hindrances(ctx, choices))),
  ),
  controls: [
    {
      kind: 'channels',
      press: 'rooms joins',
      label: ctx.label('rooms.joins-choose'),
      chosen: await seenChannels(choices.joins, ctx),
      only: 'voice',
    },
    back(ctx),
  ],
});

const heard: Page = (ctx, { consent, spokenNotice }) => ({
  text: lines(ctx.t('rooms.heard-heading'), ctx.t('rooms.heard-how')),
  controls: [
    menu('rooms consent', ctx.label('rooms.consent'), {
      values: CONSENT,
      labelOf: (value) => ctx.label(`rooms.consent-${value}`),
      chosen: [consent],
    }),
    switchButton(ctx, 'rooms spoken', spokenNotice, ['rooms.spoken-off', 'rooms.spoken-on']),
    back(ctx),
  ],
});

const captions: Page = (ctx, { languages, partials, pauseMs, showsAll }) => {
  const codes = new Set([...languages, ...offeredLanguages(ctx.channel.space, ctx.services)]);
  return {
    text: lines(ctx.t('rooms.captions-heading'), ctx.t('rooms.captions-how')),
    controls: [
      menu('rooms languages', ctx.label('rooms.languages'), {
        values: [...codes].slice(0, ctx.capabilities.choices),
        labelOf: (value) => languageLabel(value, ctx.locale, ctx.services),
        chosen: languages,
        most: MOST_LANGUAGES,
      }),
      menu('rooms pause', ctx.label('rooms.pause'), {
        values: PAUSES,
        labelOf: (ms) => ctx.label(`rooms.pause-${ms}`, { seconds: ms / 1_000 }),
        chosen: [pauseMs],
      }),
      switchButton(ctx, 'rooms partials', partials, ['rooms.partials-off', 'rooms.partials-on']),
      switchButton(ctx, 'rooms all', showsAll, ['rooms.all-off', 'rooms.all-on']),
      back(ctx),
    ],
  };
};

const speech: Page = (ctx, { bargeIn, wakeWord }) => ({
  text: lines(ctx.t('rooms.speech-heading'), ctx.t('rooms.speech-how')),
  controls: [
    menu('rooms barge', ctx.label('rooms.barge-in'), {
      values: BARGE_IN,
      labelOf: (value) => ctx.label(`rooms.barge-in-${value}`),
      chosen: [bargeIn],
    }),
    switchButton(ctx, 'rooms wake', wakeWord, ['rooms.wake-off', 'rooms.wake-on']),
    back(ctx),
  ],
});

const PAGES = new Map(Object.entries({ joins, heard, captions, speech }));

/** Shows `page` after the change, and beneath the reason why it could not be made. */
const press = (
  page: Page<PressContext>,
  lookUp?: (ctx: PressContext) => Change | Promise<Change>,
): Press => ({
  guards: [moderator],
  ...pressOn(
    async (ctx) => page(ctx, await choicesOf(ctx)),
    lookUp && (async (ctx) => change(ctx, await lookUp(ctx))),
  ),
});

/** The change of a choice to the value that was chosen; none where it is not one of its values. */
const chosenOf =
  <Name extends 'consent' | 'pauseMs' | 'bargeIn'>(
    name: Name,
    offered: readonly RoomChoices[Name][],
  ) =>
  ({ values: [chosen] }: PressContext): Change =>
  () => {
    const value = offered.find((each) => String(each) === chosen);
    return value === undefined ? {} : { [name]: value };
  };

const chosenLanguages = ({ values, services }: PressContext): readonly string[] =>
  values.map((value) => typedLanguage(value, services));

export default defineCommand(
  'rooms',
  {
    options: z.object({ languages: listOption().optional() }),
    complete: { languages: completeLanguages },
    guards: [moderator],
    private: true,
    async run(ctx) {
      const { options, services, reply } = ctx;
      if (options.languages !== undefined) {
        const languages = typedLanguages(options.languages, services);
        await change(ctx, () => ({ languages }));
      }
      await reply(await front(ctx, await choicesOf(ctx)));
    },
  },
  {
    needs: 'rooms',
    topic: 'server',
    presses: {
      page: press((ctx, choices) => (PAGES.get(ctx.arg) ?? front)(ctx, choices)),
      joins: press(joins, async (ctx) => {
        const chosen = await chosenChannels((await choicesOf(ctx)).joins, ctx);
        return (now) => ({ joins: chosen(now.joins) });
      }),
      consent: press(heard, chosenOf('consent', CONSENT)),
      spoken: press(heard, ({ arg }) => () => ({ spokenNotice: arg === 'on' })),
      languages: press(captions, (ctx) => {
        const values = chosenLanguages(ctx);
        return ({ languages }) => ({
          languages: chosenOver(languages, { ...ctx, values }).slice(0, MOST_LANGUAGES),
        });
      }),
      partials: press(captions, ({ arg }) => () => ({ partials: arg === 'on' })),
      all: press(captions, ({ arg }) => () => ({ showsAll: arg === 'on' })),
      pause: press(captions, chosenOf('pauseMs', PAUSES)),
      barge: press(speech, chosenOf('bargeIn', BARGE_IN)),
      wake: press(speech, ({ arg }) => () => ({ wakeWord: arg === 'on' })),
    },
  },
);
