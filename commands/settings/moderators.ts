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
  chosenOver,
  seenChannels,
  switchButton,
} from '../../src/command/helpers.ts';
import { moderatorsTrouble } from '../../src/command/setting-lines.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import type { SpaceChoices } from '../../src/model/space.ts';
import { lines, sentence } from '../../src/rich-text/compose.ts';

/** User groups that can be chosen; each is asked for its members once a minute. */
const MOST_GROUPS = 10;

/** The choice of groups whose members moderate, for who moderates by the platform; none where there are no groups. */
const groupControls = async (
  { groups, member, capabilities, label }: AnswerContext,
  chosen: readonly string[] = [],
): Promise<readonly Control[]> => {
  const known = groups && member.isAppointed !== true ? await groups() : [];
  if (known.length === 0) return [];
  // Chosen ones first, so that none is lost where not all fit.
  const offered = known.toSorted(
    (a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)),
  );
  return [
    {
      kind: 'choice',
      press: 'settings groups',
      label: label('settings.groups'),
      most: MOST_GROUPS,
      choices: offered.slice(0, capabilities.choices).map(({ id, name }) => ({
        value: id,
        label: name,
        chosen: chosen.includes(id),
      })),
    },
  ];
};

/** The moderators' channel in a row of its own; empty for none. */
export const moderatorsIn = ({ moderators }: SpaceChoices): readonly string[] =>
  moderators ? [moderators.channel] : [];

/** The page of the moderators' channel, and of the groups whose members moderate. */
export const moderatorsPage = async (ctx: AnswerContext): Promise<Content> => {
  const choices = await ctx.services.spaces.of(ctx.channel.space);
  const groups = await groupControls(ctx, choices.moderatorGroups);
  return {
    text: lines(
      ctx.t('settings.moderators-heading'),
      ctx.t('settings.moderators-how'),
      await moderatorsTrouble(ctx),
      ctx.t(choices.announcesTerms ? 'settings.terms-are-on' : 'settings.terms-are-off'),
      groups.length > 0 && ctx.t('settings.groups-how'),
    ),
    controls: [
      {
        kind: 'channels',
        press: 'settings moderators',
        label: ctx.label('settings.moderators'),
        chosen: await seenChannels(moderatorsIn(choices), ctx),
        most: 1,
      },
      ...groups,
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
    /** Asks first where everybody reads the channel. */
    async run(ctx) {
      const { access, services, channel, values, t, reply } = ctx;
      const known = moderatorsIn(await services.spaces.of(channel.space));
      const id = values.find((each) => !known.includes(each));
      const seen = id === undefined ? [] : await seenChannels([id], ctx);
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
  groups: press(async (ctx) => {
    if (ctx.member.isAppointed) throw userError('forbidden', 'settings.groups-admins');
    const known = ((await ctx.groups?.()) ?? []).map(({ id }) => id);
    return ({ moderatorGroups = [] }) => {
      const chosen = chosenOver(moderatorGroups, ctx).filter((id) => known.includes(id));
      return { moderatorGroups: chosen.slice(0, MOST_GROUPS) };
    };
  }),
  terms: press(async ({ arg }) => () => ({ announcesTerms: arg === 'on' })),
};
