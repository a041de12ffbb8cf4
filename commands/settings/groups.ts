import {
  moderator,
  pressOn,
  type AnswerContext,
  type PressContext,
} from '../../src/command/command.ts';
import { button, chosenOver, menu } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import { lines } from '../../src/rich-text/compose.ts';

/** User groups that can be chosen; each is asked for its members once a minute. */
const MOST_GROUPS = 10;

/** True for who chooses the groups whose members moderate: who moderates by the platform, where it has groups. */
export const choosesGroups = ({ groups, member }: AnswerContext): boolean =>
  groups !== undefined && member.isAppointed !== true;

/** The page of the user groups whose members moderate. */
export const groupsPage = async (ctx: AnswerContext): Promise<Content> => {
  const { channel, capabilities, label, services, t } = ctx;
  const known = choosesGroups(ctx) ? ((await ctx.groups?.()) ?? []) : [];
  const { moderatorGroups: chosen = [] } = await services.spaces.of(channel.space);
  // Chosen ones first, so that none is lost where not all fit.
  const offered = known.toSorted(
    (a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)),
  );
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return {
    text: lines(
      t('settings.groups-how'),
      choosesGroups(ctx)
        ? known.length === 0 && t('settings.groups-none')
        : t('settings.groups-admins'),
    ),
    controls: [
      ...(known.length > 0
        ? [
            menu('settings groups', label('settings.groups'), {
              values: offered.slice(0, capabilities.choices).map(({ id }) => id),
              labelOf: (id) => names.get(id) ?? id,
              chosen,
              most: MOST_GROUPS,
            }),
          ]
        : []),
      button(ctx, 'settings page', 'settings.back'),
    ],
  };
};

/** Sets the groups that were chosen. */
export const groupsPress = {
  guards: [moderator],
  ...pressOn(groupsPage, async (ctx: PressContext) => {
    if (!choosesGroups(ctx)) throw userError('forbidden', 'settings.groups-admins');
    const known = ((await ctx.groups?.()) ?? []).map(({ id }) => id);
    await ctx.services.spaces.change(ctx.channel.space, ({ moderatorGroups = [] }) => {
      const chosen = chosenOver(moderatorGroups, ctx).filter((id) => known.includes(id));
      return { moderatorGroups: chosen.slice(0, MOST_GROUPS) };
    });
  }),
};
