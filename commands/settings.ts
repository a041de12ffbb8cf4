import {
  defineCommand,
  FOR_EVERYBODY,
  moderator,
  type AnswerContext,
  type Press,
  type PressContext,
  pressOn,
} from '../src/command/command.ts';
import { OPEN_LINKS, type ChannelWatch, type SpaceChoices } from '../src/model/space.ts';
import {
  button,
  channelNames,
  chosenChannels,
  chosenOver,
  menu,
  seenChannels,
  switchButton,
  hiddenNote,
} from '../src/command/helpers.ts';
import { watchCounts, watchLine } from '../src/command/watch-line.ts';
import { findButton, finding } from '../src/command/find-language.ts';
import { chosenReading, readingControl } from '../src/command/reading-choice.ts';
import type { MessageKey } from '../src/errors.ts';
import { bullets, lines, nested, series, type Maybe } from '../src/rich-text/compose.ts';
import { roleMention } from '../src/model/place.ts';
import type { Content, Control } from '../src/model/message.ts';
import { code, type RichText } from '../src/rich-text/rich-text.ts';
import { keyLine, keyPage, keyPresses } from './settings/key.ts';
import { limitOf, LIMITS, limitsPage, limitText } from './settings/limits.ts';
import { linkPolicyPresses, linksPage } from './settings/links.ts';
import { moderatorsTrouble } from '../src/command/setting-lines.ts';
import { choosesGroups, groupsPage, groupsPress } from './settings/groups.ts';
import { moderatorPresses, moderatorsIn, moderatorsPage } from './settings/moderators.ts';

type Page<Ctx = AnswerContext> = (ctx: Ctx, arg: string) => Promise<Content> | Content;

const LISTED = 15;

const back = (ctx: AnswerContext): Control => button(ctx, 'settings page', 'settings.back');

const choicesOf = ({ services, channel }: AnswerContext): Promise<SpaceChoices> =>
  services.spaces.of(channel.space);

/** The watches of the channels that the person may see. */
const watchesOf = ({
  services,
  access,
  channel,
}: AnswerContext): Promise<readonly ChannelWatch[]> =>
  access.seen(services.watches.list(channel.space), (watch) => watch.channel);

/** Says where auto-translate is changed; on the bot's own page the menu for it stands above. */
const howToChange = ({ services, channel, t }: AnswerContext): Maybe<RichText> =>
  !services.watches.isTalk(channel) && t('settings.change-languages');

const front: Page = async (ctx) => {
  const {
    services,
    channel: { space },
    locale,
    t,
    capabilities,
  } = ctx;
  const choices = await choicesOf(ctx);
  const watches = await watchesOf(ctx);
  const all = services.watches.list(space);
  const { space: limited } = await services.limits.of(space);
  const roles = Object.entries(choices.roles).filter(([, ids]) => ids.length > 0);
  const roleLine = ([command, ids]: readonly [string, readonly string[]]): RichText => {
    const mentions = ids.map((id) => roleMention(space, id));
    return series([code(`/${command}`), series(mentions, ' ')]);
  };
  return {
    text: lines(
      t('settings.heading'),
      bullets(
        nested(t('settings.watched', watchCounts(all)), [
          ...(await Promise.all(
            watches.slice(0, LISTED).map((watch) => watchLine(watch, choices, ctx)),
          )),
          watches.length > LISTED && t('settings.more', { count: watches.length - LISTED }),
          hiddenNote(all, watches, ctx),
          howToChange(ctx),
        ]),
        t(choices.flags.on ? 'settings.flags-are-on' : 'settings.flags-are-off'),
        t(choices.answersMention ? 'settings.mentions-are-on' : 'settings.mentions-are-off'),
        choices.rules.reading
          ? t('rules.reading', {
              language: services.languages.name(choices.rules.reading, locale),
            })
          : series([t('rules.panel-reading'), t('rules.panel-reading-own')]),
        t('settings.quiet-in', {
          channels: await channelNames(choices.quietChannels, ctx),
        }),
        series([
          t('settings.outside'),
          t(`settings.outside-${(choices.links ?? OPEN_LINKS).outside}`),
        ]),
        (await moderatorsTrouble(ctx)) ||
          t('settings.moderators-are', {
            channels: await channelNames(moderatorsIn(choices), ctx),
          }),
        t('settings.limits-are', {
          characters: limitText(ctx, limited.characters),
          minutes: limitText(ctx, limited.audioMinutes),
          tokens: limitText(ctx, limited.chatTokens),
        }),
        capabilities.roles &&
          nested(t('settings.roles-are', { count: roles.length }), roles.map(roleLine)),
        await keyLine(ctx),
      ),
    ),
    controls: [
      switchButton(ctx, 'settings flags', choices.flags.on, [
        'settings.flags-off',
        'settings.flags-on',
      ]),
      switchButton(ctx, 'settings mentions', choices.answersMention, [
        'settings.mentions-off',
        'settings.mentions-on',
      ]),
      button(ctx, 'settings page:channels', 'settings.channels'),
      button(ctx, 'settings page:links', 'settings.links'),
      button(ctx, 'settings page:quiet', 'settings.quiet'),
      button(ctx, 'settings page:limits', 'settings.limits'),
      ...(capabilities.roles ? [button(ctx, 'settings page:roles', 'settings.roles')] : []),
      button(ctx, 'settings page:key', 'settings.key'),
      button(ctx, 'settings page:moderators', 'settings.moderators'),
      ...(choosesGroups(ctx) ? [button(ctx, 'settings page:groups', 'settings.groups')] : []),
      button(ctx, 'settings page:reading', 'rules.panel-reading'),
    ],
  };
};

const channels: Page = async (ctx) => {
  const { t, label, capabilities } = ctx;
  const watches = await watchesOf(ctx);
  const note = watches.length === 0 ? 'settings.none-watched' : 'settings.too-many-watched';
  const switches = (press: string, key: MessageKey, name: 'transcribes' | 'bots'): Control => ({
    kind: 'channels',
    press,
    label: label(key),
    chosen: watches.filter((watch) => watch[name]).map(({ channel }) => channel.id),
  });
  const fits = watches.length > 0 && watches.length <= capabilities.choices;
  return {
    text: lines(
      t('settings.channels-heading'),
      t(fits ? 'settings.channels-how' : note),
      watches.length === 0 && howToChange(ctx),
    ),
    controls: [
      ...(fits
        ? [
            switches('settings voice', 'settings.voice-messages', 'transcribes'),
            switches('settings bots', 'settings.bots', 'bots'),
          ]
        : []),
      back(ctx),
    ],
  };
};

const quiet: Page = async (ctx) => ({
  text: lines(ctx.t('settings.quiet-heading'), ctx.t('settings.quiet-how')),
  controls: [
    {
      kind: 'channels',
      press: 'settings quiet',
      label: ctx.label('settings.quiet'),
      chosen: await seenChannels((await choicesOf(ctx)).quietChannels, ctx),
    },
    back(ctx),
  ],
});

const readingPage = async (ctx: AnswerContext, found?: readonly string[]): Promise<Content> => ({
  text: lines(ctx.t('rules.panel-reading-how'), ctx.t('settings.reading-how')),
  controls: [
    readingControl('settings reading', (await choicesOf(ctx)).rules.reading ?? '', ctx, found),
    findButton(ctx, 'settings findreading'),
    back(ctx),
  ],
});

const reading: Page = (ctx) => readingPage(ctx);

/** The commands that can be kept for roles. */
const keepable = ({ commands, capabilities }: Parameters<Page>[0]): readonly string[] => {
  const offered = commands()
    .filter(({ moderators }) => !moderators)
    .map(({ name }) => name.split(' ', 1)[0] ?? name)
    .filter((name) => !FOR_EVERYBODY.has(name));
  return [...new Set(offered)].slice(0, capabilities.choices);
};

/** @param command whose roles are shown beneath the choice of commands */
const roles: Page = async (ctx, command) => {
  const { t, label } = ctx;
  const chosen = await choicesOf(ctx);
  const names = keepable(ctx);
  const known = names.includes(command);
  return {
    text: lines(
      t('settings.roles-heading'),
      known ? t('settings.roles-of', { command: code(`/${command}`) }) : t('settings.roles-how'),
    ),
    controls: [
      menu('settings command', label('settings.command'), {
        values: names,
        labelOf: (name) => `/${name}`,
        chosen: [command],
      }),
      ...(known
        ? ([
            {
              kind: 'roles',
              press: `settings roles:${command}`,
              label: label('settings.roles'),
              chosen: chosen.roles[command] ?? [],
            },
          ] as const)
        : []),
      back(ctx),
    ],
  };
};

const PAGES = new Map<string, Page>(
  Object.entries({
    channels,
    links: linksPage,
    quiet,
    limits: limitsPage,
    roles,
    key: keyPage,
    moderators: moderatorsPage,
    groups: groupsPage,
    reading,
  }),
);

/** Shows `page` after `run`, and beneath the reason why it could not be done. */
const press = (page: Page<PressContext>, run?: (ctx: PressContext) => Promise<void>): Press => ({
  guards: [moderator],
  ...pressOn((ctx) => page(ctx, ctx.arg), run),
});

/** Changes choices by what they are at that moment: another moderator may change some of them at the same time. */
const change = (
  page: Page,
  changed: (ctx: PressContext, choices: SpaceChoices) => Partial<SpaceChoices>,
): Press =>
  press(page, async (ctx) =>
    ctx.services.spaces.change(ctx.channel.space, (choices) => changed(ctx, choices)),
  );

/** Sets one switch of every watched channel: on in those that were chosen. */
const switchIn = (name: 'transcribes' | 'bots'): Press =>
  press(channels, async (ctx) => {
    const watches = await watchesOf(ctx);
    const on = watches.filter((watch) => watch[name]).map(({ channel }) => channel.id);
    const chosen = chosenOver(on, ctx);
    for (const { channel } of watches)
      if (chosen.includes(channel.id) !== on.includes(channel.id))
        await ctx.services.watches.change(channel, (watch) => ({
          ...watch,
          [name]: chosen.includes(channel.id),
        }));
  });

const pageNamed: Page = (ctx, name) => (PAGES.get(name) ?? front)(ctx, '');

export default defineCommand(
  'settings',
  {
    guards: [moderator],
    private: true,
    run: async (ctx) => ctx.reply(await front(ctx, '')),
  },
  {
    needs: 'watch',
    topic: 'server',
    presses: {
      ...keyPresses,
      page: press(pageNamed),
      flags: change(front, ({ arg }, { flags }) => ({ flags: { ...flags, on: arg === 'on' } })),
      mentions: change(front, ({ arg }) => ({ answersMention: arg === 'on' })),
      ...linkPolicyPresses,
      voice: switchIn('transcribes'),
      bots: switchIn('bots'),
      quiet: press(quiet, async (ctx) => {
        const chosen = await chosenChannels((await choicesOf(ctx)).quietChannels, ctx);
        await ctx.services.spaces.change(ctx.channel.space, ({ quietChannels }) => ({
          quietChannels: chosen(quietChannels),
        }));
      }),
      ...moderatorPresses,
      groups: groupsPress,
      ...Object.fromEntries(
        LIMITS.map(([name, , choice]) => [
          name,
          change(limitsPage, (ctx) => ({ [choice]: limitOf(ctx) })),
        ]),
      ),
      reading: change(reading, (ctx, { rules }) => ({
        rules: { ...rules, reading: chosenReading(ctx) },
      })),
      findreading: { ...press(reading), ...finding(readingPage) },
      command: press((ctx) => roles(ctx, ctx.values[0] ?? '')),
      roles: change(roles, (ctx, { roles: before }) =>
        keepable(ctx).includes(ctx.arg)
          ? { roles: { ...before, [ctx.arg]: chosenOver(before[ctx.arg] ?? [], ctx) } }
          : {},
      ),
    },
  },
);
