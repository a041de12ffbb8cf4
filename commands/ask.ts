import { z } from 'zod';
import { defineCommand, type CommandContext } from '../src/command/command.ts';
import type { Room } from '../src/command/services.ts';
import {
  hasRooms,
  answerText,
  quotedWords,
  roomTurns,
  sharedRoom,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { sections } from '../src/rich-text/compose.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

const LONGEST_QUESTION_CHARS = 10_000;
const LONGEST_HEARD_CHARS = 500;

const hear = async (room: Room | undefined, ctx: CommandContext<unknown>): Promise<string> => {
  const { services, member, t, signal, reply } = ctx;
  if (!room)
    throw userError('bad-input', hasRooms(ctx) ? 'ask.no-question-yet' : 'ask.no-question');
  if (await services.privacy.optedOut(member)) throw userError('forbidden', 'captions.opted-out');
  await reply({ text: t('ask.listening') });
  return room.listenTo(member, signal);
};

/** Stands above the answer, so that others and the asker see what was understood. */
const heardLine = (question: string, { member, t }: CommandContext<unknown>): RichText =>
  t('room.heard-you', {
    name: quotedWords(member.name),
    question: quotedWords(question, LONGEST_HEARD_CHARS),
  });

export default defineCommand('ask', {
  options: z.object({ question: z.string().trim().min(1).max(LONGEST_QUESTION_CHARS).optional() }),
  slow: true,
  async run(ctx) {
    const { options, services, member, channel, signal, stream, reply, t } = ctx;
    const room = sharedRoom(ctx);
    const question = options.question ?? (await hear(room, ctx));
    const above = options.question === undefined ? heardLine(question, ctx) : undefined;
    const turns = room
      ? roomTurns(question, room.recentCaptions())
      : [...ctx.earlier, { role: 'user', content: question } as const];
    const shown = (answer: string): RichText => sections(above, answerText(answer));
    let isCut = false;
    const cut = (): void => {
      isCut = true;
    };
    const asker = { lane: 'interactive', space: channel.space } as const;
    const answer = await stream(services.assistant.answer(turns, asker, signal, { cut }), shown);
    await reply({ text: isCut ? sections(shown(answer), t('chat.cut')) : shown(answer) });
    await room?.say({ kind: 'answer', text: answerText(answer), by: member });
  },
});
