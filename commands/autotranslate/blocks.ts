import { moderator, pressOn, type Press, type PressContext } from '../../src/command/command.ts';
import { button, quotedWords } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { bullets, lines, series } from '../../src/rich-text/compose.ts';
import type { BlockedPerson } from '../../src/command/services.ts';

const NAME_CHARS = 60;
const LONGEST_ID_CHARS = 40;

const namedBy =
  ({ label }: Pick<PressContext, 'label'>) =>
  ({ name }: BlockedPerson): string =>
    name === undefined ? label('people.unknown') : quotedWords(name, NAME_CHARS);

/** Separates the id of the channel from whose page the list was opened, and the place in the list. */
const AND = '|';

const pressed = ({ arg, channel }: PressContext) => {
  const [id, from] = arg.split(AND);
  return { id: id || channel.id, from: Math.max(0, Math.trunc(Number(from)) || 0) };
};

/** The people whose messages are not copied into this space. */
const panel = async (ctx: PressContext): Promise<Content> => {
  const { services, channel, capabilities, t, label } = ctx;
  const { id, from } = pressed(ctx);
  const nameOf = namedBy(ctx);
  const isWatched = services.watches.list(channel.space).some((one) => one.channel.id === id);
  const all = await services.blocks.list(channel.space);
  const shown = all.slice(from, from + capabilities.choices);
  const left = all.length - from - shown.length;
  const choice: Control = {
    kind: 'choice',
    press: `autotranslate unstop:${id}`,
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
        ? [button(ctx, `autotranslate stopped:${id}${AND}${from + shown.length}`, 'blocks.older')]
        : []),
      button(ctx, `autotranslate stop:${id}`, 'blocks.by-id'),
      button(ctx, `autotranslate ${isWatched ? 'member' : 'page'}:${id}`, 'settings.back'),
    ],
  };
};

/** Blocks whoever has an id where channels here are linked with. */
const stop = async ({ services: { blocks }, channel: { space }, values }: PressContext) => {
  const [typed = ''] = values;
  const id = typed.trim();
  if (!/^\w+$/.test(id)) throw userError('bad-input', 'blocks.no-id');
  const { people, silent } = await blocks.lookUp(space, id);
  if (people.length === 0 && silent.length > 0)
    throw userError('unavailable', 'blocks.silent', { spaces: { list: silent } });
  if (people.length === 0) throw userError('bad-input', 'blocks.no-id');
  for (const { name, ...person } of people) await blocks.add(space, person, { name, isBan: false });
};

const unstop = async ({ services, channel: { space }, values: [key] }: PressContext) => {
  if (key !== undefined) await services.blocks.remove(space, key);
};

/** The list of people whose copies are stopped in this space, which moderators change. */
export const blockPresses: Readonly<Record<string, Press>> = {
  stopped: {
    guards: [moderator],
    ...pressOn(panel),
  },
  stop: {
    guards: [moderator],
    form: {
      title: 'blocks.form',
      label: 'blocks.id',
      hint: 'blocks.id-hint',
      maxChars: LONGEST_ID_CHARS,
    },
    ...pressOn(panel, stop),
  },
  unstop: { guards: [moderator], ...pressOn(panel, unstop) },
};
