import {
  moderator,
  type AnswerContext,
  type Press,
  type PressContext,
  pressOn,
} from '../../src/command/command.ts';
import {
  button,
  channelNames,
  chosenChannels,
  seenChannels,
  switchButton,
} from '../../src/command/helpers.ts';
import { lackingIn, moderatorsTrouble } from '../../src/command/setting-lines.ts';
import { userError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import type { SpaceChoices } from '../../src/model/space.ts';
import { lines, sentence } from '../../src/rich-text/compose.ts';

/** The moderators' channel in a row of its own; empty for none. */
export const moderatorsIn = ({ moderators }: SpaceChoices): readonly string[] =>
  moderators ? [moderators.channel] : [];

/** The page of the moderators' channel. */
export const moderatorsPage = async (ctx: AnswerContext): Promise<Content> => {
  const choices = await ctx.services.spaces.of(ctx.channel.space);
  return {
    text: lines(
      ctx.t('settings.moderators-heading'),
      ctx.t('settings.moderators-how'),
      await moderatorsTrouble(ctx),
      ctx.t(choices.announcesTerms ? 'settings.terms-are-on' : 'settings.terms-are-off'),
    ),
    controls: [
      {
        kind: 'channels',
        press: 'settings moderators',
        label: ctx.label('settings.moderators'),
        chosen: await seenChannels(moderatorsIn(choices), ctx),
        most: 1,
      },
      switchButton(ctx, 'settings terms', choices.announcesTerms, [
        'settings.terms-off',
        'settings.terms-on',
      ]),
      button(ctx, 'settings page', 'settings.back'),
    ],
  };
};

/** Changes choices by what they are at that moment, once something was looked up, and shows the page again. */
const press = (
  lookUp: (
    ctx: PressContext,
    choices: SpaceChoices,
  ) => Promise<(now: SpaceChoices) => Partial<SpaceChoices>>,
): Press => ({
  guards: [moderator],
  ...pressOn(moderatorsPage, async (ctx) => {
    const { spaces } = ctx.services;
    const { space } = ctx.channel;
    await spaces.change(space, await lookUp(ctx, await spaces.of(space)));
  }),
});

const choose = press(async (ctx, before) => {
  const chosen = await chosenChannels(moderatorsIn(before), ctx);
  return (now) => {
    const all = chosen(moderatorsIn(now));
    // The one that was added takes the place of the former one.
    const channel = all.find((id) => !moderatorsIn(now).includes(id)) ?? all[0];
    if (channel === undefined) return { moderators: undefined };
    return { moderators: { channel, locale: ctx.locale } };
  };
});

export const moderatorPresses: Readonly<Record<string, Press>> = {
  moderators: {
    ...choose,
    /** Sets none in which nothing can be said; asks first where everybody reads the channel. */
    async run(ctx) {
      const { access, services, channel, values, t, reply } = ctx;
      const known = moderatorsIn(await services.spaces.of(channel.space));
      const id = values.find((each) => !known.includes(each));
      const seen = id === undefined ? [] : await seenChannels([id], ctx);
      const lacking = id !== undefined && seen[0] ? await lackingIn(id, ctx) : [];
      if (lacking.length > 0)
        throw userError('forbidden', 'watch.missing', { permissions: { list: lacking } });
      if (id === undefined || !seen[0] || !(await access.isOpen({ ...channel, id })))
        return choose.run(ctx);
      const channels = await channelNames([id], ctx);
      await reply({
        text: lines(
          t('settings.moderators-are', { channels }),
          sentence('⚠️ ', t('settings.moderators-open')),
        ),
        controls: [
          button(ctx, `settings anyway:${id}`, 'settings.moderators-anyway'),
          button(ctx, 'settings page:moderators', 'settings.moderators-other', 'primary'),
        ],
      });
    },
  },
  anyway: { ...choose, run: (ctx) => choose.run({ ...ctx, values: [ctx.arg], shown: undefined }) },
  terms: press(async ({ arg }) => () => ({ announcesTerms: arg === 'on' })),
};
