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
  menu,
  seenChannels,
  switchButton,
} from '../../src/command/helpers.ts';
import { approvedLine } from '../../src/command/setting-lines.ts';
import { userError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import {
  LINKS_OUTSIDE,
  OPEN_LINKS,
  SERVER_NAMES,
  type LinkPolicy,
  type SpaceChoices,
} from '../../src/model/space.ts';
import { lines } from '../../src/rich-text/compose.ts';
import { code } from '../../src/rich-text/rich-text.ts';

const MOST_IDS = 50;
const LONGEST_IDS_CHARS = 1_000;
const PRIVATE_LABELS = ['settings.private-off', 'settings.private-on'] as const;
const REACTION_LABELS = ['settings.reactions-off', 'settings.reactions-on'] as const;

/** The page on links with other spaces: who may be linked, what of this space, and how names from there are shown. */
export const linksPage = async (ctx: AnswerContext): Promise<Content> => {
  const { services, channel, t, label } = ctx;
  const { serverNames, reactions, links = OPEN_LINKS } = await services.spaces.of(channel.space);
  const { outside, approved, privateChannels, channels } = links;
  return {
    text: lines(
      t('settings.links-heading'),
      t('settings.links-how'),
      t('settings.links-id', { id: code(channel.space.id) }),
      outside === 'approved' && (await approvedLine(approved, ctx)),
      channels.length > 0 &&
        t('settings.linkable-are', { channels: await channelNames(channels, ctx) }),
      t(privateChannels ? 'settings.private-are-on' : 'settings.private-are-off'),
      t(reactions ? 'settings.reactions-are-on' : 'settings.reactions-are-off'),
    ),
    controls: [
      menu('settings outside', label('settings.outside'), {
        values: LINKS_OUTSIDE,
        labelOf: (value) => label(`settings.outside-${value}`),
        chosen: [outside],
      }),
      {
        kind: 'channels',
        press: 'settings linkable',
        label: label('settings.linkable'),
        chosen: await seenChannels(channels, ctx),
      },
      menu('settings servers', label('settings.servers'), {
        values: SERVER_NAMES,
        labelOf: (value) => label(`settings.servers-${value}`),
        chosen: [serverNames],
      }),
      button(ctx, 'settings approved', 'settings.approved'),
      switchButton(ctx, 'settings private', privateChannels, PRIVATE_LABELS),
      switchButton(ctx, 'settings reactions', reactions, REACTION_LABELS),
      button(ctx, 'settings page', 'settings.back'),
    ],
  };
};

const press = (how: (ctx: PressContext, before: SpaceChoices) => Partial<SpaceChoices>): Press => ({
  guards: [moderator],
  ...pressOn(linksPage, async (ctx) => {
    await ctx.services.spaces.change(ctx.channel.space, (choices) => how(ctx, choices));
  }),
});

const policy = (how: (ctx: PressContext, links: LinkPolicy) => Partial<LinkPolicy>): Press =>
  press((ctx, { links = OPEN_LINKS }) => ({ links: { ...links, ...how(ctx, links) } }));

/** The value that was chosen of those that a choice offers; undefined for any other, which nobody was shown. */
const oneOf = <Value extends string>(
  values: readonly Value[],
  { values: [chosen] }: PressContext,
): Value | undefined => values.find((each) => each === chosen);

const idsOf = ({ values }: Pick<PressContext, 'values'>): readonly string[] => {
  const ids = [
    ...new Set(
      values
        .join(' ')
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ];
  if (ids.length > MOST_IDS || !ids.every((id) => /^\w{1,40}$/.test(id)))
    throw userError('bad-input', 'settings.approved-wrong', { most: MOST_IDS });
  return ids;
};

export const linkPolicyPresses: Readonly<Record<string, Press>> = {
  outside: policy((ctx, { outside }) => ({ outside: oneOf(LINKS_OUTSIDE, ctx) ?? outside })),
  servers: press((ctx, { serverNames }) => ({
    serverNames: oneOf(SERVER_NAMES, ctx) ?? serverNames,
  })),
  reactions: press(({ arg }) => ({ reactions: arg === 'on' })),
  private: policy(({ arg }) => ({ privateChannels: arg === 'on' })),
  linkable: {
    guards: [moderator],
    ...pressOn(linksPage, async (ctx) => {
      const { services, channel } = ctx;
      const { links = OPEN_LINKS } = await services.spaces.of(channel.space);
      const chosen = await chosenChannels(links.channels, ctx);
      await services.spaces.change(channel.space, ({ links: now = OPEN_LINKS }) => ({
        links: { ...now, channels: chosen(now.channels) },
      }));
    }),
  },
  approved: {
    form: {
      title: 'settings.approved',
      label: 'settings.approved-ids',
      hint: 'settings.approved-hint',
      maxChars: LONGEST_IDS_CHARS,
    },
    // Who turned links off meanwhile meant those with approved ones, too.
    ...policy((ctx, { outside }) => ({
      outside: outside === 'nobody' ? outside : 'approved',
      approved: idsOf(ctx),
    })),
  },
  /** The button in the moderators' channel; its line then says who is approved. */
  approve: {
    guards: [moderator],
    async run(ctx) {
      const { services, channel, arg, forReaders, reply } = ctx;
      await services.spaces.change(channel.space, ({ links = OPEN_LINKS }) => {
        if (links.outside === 'nobody') throw userError('forbidden', 'links.not-allowed');
        return { links: { ...links, approved: idsOf({ values: [...links.approved, arg] }) } };
      });
      const shared = { ...ctx, ...(await forReaders()) };
      await reply({ text: await approvedLine([arg], shared) });
    },
  },
};
