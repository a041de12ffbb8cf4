import { discover } from '../../src/app/modules.ts';
import { type Command, commandFault } from '../../src/command/command.ts';

/** The commands of the program, found once for all tests of a process. */
export const realCommands = await discover<Command>('commands', commandFault);
