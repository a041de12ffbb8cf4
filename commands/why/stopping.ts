import { moderator, type Press } from '../../src/command/command.ts';
import { button, quotedWords } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';

/** Separates the platform, the id and the name of a person in what is pressed. */
export const AND = '|';
/** Most characters of a person's name in a button. */
export const NAME_CHARS = 32;

/** Stops copies of the person that a button names, or ends that; a forged one does so for the moderator's own space alone. */
const decide = (isStopping: boolean): Press => ({
  guards: [moderator],
  private: true,
  run: async (ctx) => {
    const {
      arg,
      channel: { space },
      services: { blocks },
      t,
      label,
      reply,
    } = ctx;
    const [platform = '', id = '', ...rest] = arg.split(AND);
    if (platform === '' || !/^\w+$/.test(id)) throw userError('bad-input', 'blocks.no-id');
    const seen = quotedWords(rest.join(AND), NAME_CHARS);
    const name = seen || label('people.unknown');
    const person = { platform, id };
    if (isStopping) {
      const found = await blocks.lookUp(space, id).catch(() => undefined);
      const known = found?.people.find((each) => each.platform === platform);
      await blocks.add(space, person, { name: known?.name ?? (seen || undefined), isBan: false });
    }
    const stopped = isStopping ? undefined : await blocks.of(space, person);
    if (stopped) await blocks.remove(space, stopped.key);
    await reply({
      text: t(isStopping ? 'blocks.stopped' : 'blocks.shown', { name, list: label('blocks.open') }),
      controls: isStopping ? [button(ctx, `why show:${arg}`, 'autotranslate.wizard-undo')] : [],
    });
  },
});

export const stopPresses = { stop: decide(true), show: decide(false) };
