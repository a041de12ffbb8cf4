import { z } from 'zod';
import {
  channelOption,
  defineAction,
  moderator,
  pressOn,
  type Press,
  type PressContext,
} from '../../src/command/command.ts';
import { button, quotedWords } from '../../src/command/helpers.ts';
import { userError, type MessageKey } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { channelMention, type Channel } from '../../src/model/place.ts';
import { bullets, lines, sections } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { chosenChannel, demandLinked, linkWarning, type Context } from './context.ts';
import { memberLines } from './group.ts';
import { openLinksElsewhere, openLinksOf } from './open-links.ts';

/** Separates the own channel from the linked one in what is pressed. */
const AND = '|';

/** Throws `forbidden` where the person may not decide about a channel; resolves with those that are linked with it. */
const membersOf = async (channel: Channel, ctx: Context) => {
  await ctx.access.demand([channel], 'write');
  await demandLinked([channel], ctx);
  const watch = ctx.services.watches.of(channel);
  return watch ? ctx.services.watches.members(watch) : [];
};

/**
 * The buttons by which a code is made and entered.
 *
 * @param about the id of the channel, and the switches of the link, as `codeLanguagePage` takes them
 */
export const codeControls = (ctx: Pick<Context, 'label'>, about: string): readonly Control[] => [
  button(ctx, `autotranslate invite:${about}`, 'autotranslate.link-make'),
  button(ctx, `autotranslate enter:${about}`, 'autotranslate.link-enter'),
];

/**
 * @param key of the linked channel that is chosen; undefined for none
 * @param above what is said above it
 */
export const membersPage = async (
  channel: Channel,
  ctx: Context,
  key: string | undefined,
  above?: RichText,
): Promise<Content> => {
  const { t, label } = ctx;
  const members = await membersOf(channel, ctx);
  const open = await openLinksOf(channel, ctx);
  const more = [
    ...open.controls,
    ...codeControls(ctx, channel.id),
    button(ctx, `autotranslate stopped:${channel.id}`, 'blocks.open'),
    button(ctx, `autotranslate page:${channel.id}`, 'settings.back'),
  ];
  if (members.length === 0)
    return {
      text: sections(
        above,
        t('members.none', { channel: channelMention(channel) }),
        linkWarning(channel, ctx),
        open.text,
      ),
      tone: 'note',
      controls: more,
    };
  const chosen = members.find((each) => each.key === key);
  const press = (word: string): string => `autotranslate ${word}:${channel.id}${AND}${key ?? ''}`;
  const choice: Control = {
    kind: 'choice',
    press: `autotranslate member:${channel.id}`,
    label: label('members.choose'),
    choices: members.map((each) => ({
      value: each.key,
      label: each.name,
      chosen: each.key === key,
    })),
  };
  return {
    text: sections(
      above,
      lines(
        t('members.heading', { channel: channelMention(channel) }),
        bullets(...memberLines([{ channel, members }], ctx)),
        chosen && t('members.how', { channel: channelMention(channel) }),
        chosen && t(chosen.mayRemove ? 'members.how-remove' : 'members.not-removable'),
      ),
      open.text,
    ),
    controls: [
      choice,
      ...(chosen
        ? [
            chosen.unagreed === 'here' &&
              button(ctx, press('admit'), 'autotranslate.link-yes', 'primary'),
            chosen.isMuted
              ? button(ctx, press('unmute'), 'members.unmute')
              : button(ctx, press('mute'), 'members.mute'),
            chosen.held === 'here' && button(ctx, press('unhold'), 'members.unhold'),
            chosen.held !== 'here' &&
              chosen.mayRemove &&
              button(ctx, press('hold'), 'members.hold'),
            chosen.mayRemove && button(ctx, press('expelsure'), 'members.remove', 'danger'),
          ].filter((each) => each !== false)
        : []),
      ...more,
    ],
  };
};

/** Asks once whether a linked channel is to be removed. */
const surePanel = async (channel: Channel, ctx: Context, key: string): Promise<Content> => {
  const members = await membersOf(channel, ctx);
  const chosen = members.find((each) => each.key === key);
  if (!chosen?.mayRemove) return membersPage(channel, ctx, key);
  const { name, server } = chosen;
  const arg = `${channel.id}${AND}${key}`;
  return {
    text: ctx.t('members.sure', { name }),
    controls: [
      button(ctx, `autotranslate expel:${arg}`, 'members.remove', 'danger'),
      ...(server
        ? ([
            {
              kind: 'button',
              press: `autotranslate expelall:${arg}`,
              label: ctx.label('members.remove-all', {
                count: server.channels,
                server: server.name,
              }),
              look: 'danger',
            },
          ] as const)
        : []),
      button(ctx, `autotranslate member:${arg}`, 'settings.back'),
    ],
  };
};

/** The own channel and the key of the linked one that a press is about. */
const pressed = ({ arg, channel: { space }, services }: PressContext) => {
  const [id = '', key = ''] = arg.split(AND);
  const own = services.watches.list(space).find((watch) => watch.channel.id === id);
  if (!own) throw userError('not-found', 'members.gone');
  return { own: own.channel, key };
};

/** @param said what is said once that is done */
const decide = (
  run: (own: Channel, key: string, ctx: PressContext) => Promise<unknown>,
  said?: MessageKey,
): Press => ({
  guards: [moderator],
  panel: async (ctx) => membersPage(pressed(ctx).own, ctx, pressed(ctx).key),
  async run(ctx) {
    const { own, key } = pressed(ctx);
    await membersOf(own, ctx);
    await run(own, key, ctx);
    await ctx.reply(await membersPage(own, ctx, key, said && ctx.t(said)));
  },
});

const agree = (own: Channel, key: string, { services }: PressContext) =>
  services.watches.agree(own, key);

/** Takes the buttons from the question, and says there who agreed; others read it in the language of its channel. */
const letIn: Press = {
  guards: [moderator],
  async run(ctx) {
    const { own, key } = pressed(ctx);
    const asked = (await membersOf(own, ctx)).find((each) => each.key === key);
    const list = await agree(own, key, ctx);
    const { t } = await ctx.forReaders();
    const name = quotedWords(ctx.member.name);
    const open = asked?.unagreed === 'elsewhere' && { channels: { list: [asked.name] } };
    const none = () =>
      open ? t('autotranslate.unagreed-elsewhere', open) : t('autotranslate.link-linked');
    await ctx.reply({
      text:
        list.length > 0
          ? t('autotranslate.let-in', { name, channels: { list }, count: list.length })
          : none(),
    });
  },
};

const sure: Press = {
  guards: [moderator],
  ...pressOn((ctx) => surePanel(pressed(ctx).own, ctx, pressed(ctx).key)),
};

export const memberPresses: Readonly<Record<string, Press>> = {
  member: {
    guards: [moderator],
    ...pressOn((ctx) => membersPage(pressed(ctx).own, ctx, ctx.values[0] ?? pressed(ctx).key)),
  },
  admit: decide(agree),
  letin: letIn,
  keepout: { ...sure, private: true },
  mute: decide((own, key, { services }) => services.watches.mute(own, key, true)),
  unmute: decide((own, key, { services }) => services.watches.mute(own, key, false)),
  expelsure: sure,
  hold: decide((own, key, { services }) => services.watches.hold(own, key, true)),
  unhold: decide((own, key, { services }) => services.watches.hold(own, key, false)),
  expel: decide(
    (own, key, { services }) => services.watches.expel(own, key),
    'autotranslate.copies-stay',
  ),
  expelall: decide(
    (own, key, { services }) => services.watches.expel(own, key, true),
    'autotranslate.copies-stay',
  ),
};

/** `/autotranslate links`: mutes, pauses or removes channels of other spaces that are linked with one here. */
export const linksAction = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  private: true,
  async run(ctx) {
    const channel = chosenChannel(ctx);
    const page = await membersPage(channel, ctx, undefined);
    const open = await openLinksElsewhere(ctx, channel);
    const controls = [...(page.controls ?? []), ...open.controls];
    await ctx.reply({ ...page, text: sections(page.text, open.text), controls });
  },
});
