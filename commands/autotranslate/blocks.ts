import { moderator, pressOn, type Press, type PressContext } from '../../src/command/command.ts';
import { button, quotedWords } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { bullets, lines, series } from '../../src/rich-text/compose.ts';
import type { BlockedPerson } from '../../src/command/services.ts';

const NAME_CHARS = 60;
const LONGEST_ID_CHARS = 40;

const nameOf = ({ name }: BlockedPerson): string =>
  name === undefined ? '–' : quotedWords(name, NAME_CHARS);

/** The people whose messages are not copied into this space, from a place in their list on. */
const panel = async (ctx: PressContext, from: number): Promise<Content> => {
  const { services, channel, capabilities, t, label } = ctx;
  const all = await services.blocks.list(channel.space);
  const shown = all.slice(from, from + capabilities.choices);
  const left = all.length - from - shown.length;
  const choice: Control = {
    kind: 'choice',
    press: 'autotranslate unstop',
    label: label('blocks.show'),
    choices: shown.map((each) => ({ value: each.key, label: nameOf(each) })),
  };
  return {
    text:
      shown.length === 0
        ? t('blocks.none', { entry: label('commands.why.menu') })
        : lines(
            t('blocks.heading'),
            bullets(
              ...shown.map((each) => series([nameOf(each), each.isBan && t('blocks.banned')])),
            ),
            left > 0 && t('settings.more', { count: left }),
          ),
    controls: [
      ...(shown.length > 0 ? [choice] : []),
      ...(left > 0
        ? [button(ctx, `autotranslate stopped:${from + shown.length}`, 'blocks.older')]
        : []),
      button(ctx, 'autotranslate stop', 'blocks.by-id'),
    ],
  };
};

/** Blocks whoever has an id on the platforms that channels here are linked with. */
const stop = async ({ services, channel: { space }, values: [typed = ''] }: PressContext) => {
  const id = typed.trim();
  if (!/^\w+$/.test(id)) throw userError('bad-input', 'blocks.no-id');
  const linked = await Promise.all(
    services.watches.list(space).map((watch) => services.watches.members(watch)),
  );
  const platforms = linked.flat().map(({ platform }) => platform);
  for (const platform of new Set([space.platform, ...platforms]))
    await services.blocks.add(space, { platform, id }, { name: id, isBan: false });
};

const unstop = async ({ services, channel: { space }, values: [key] }: PressContext) => {
  if (key !== undefined) await services.blocks.remove(space, key);
};

/** The list of people whose copies are stopped in this space, which moderators change. */
export const blockPresses: Readonly<Record<string, Press>> = {
  stopped: {
    guards: [moderator],
    ...pressOn((ctx) => panel(ctx, Math.max(0, Math.trunc(Number(ctx.arg)) || 0))),
  },
  stop: {
    guards: [moderator],
    form: {
      title: 'blocks.form',
      label: 'blocks.id',
      hint: 'blocks.id-hint',
      maxChars: LONGEST_ID_CHARS,
    },
    ...pressOn((ctx) => panel(ctx, 0), stop),
  },
  unstop: { guards: [moderator], ...pressOn((ctx) => panel(ctx, 0), unstop) },
};
