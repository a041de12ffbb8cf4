import { z } from 'zod';
import { defineCommand } from '../src/command.ts';

const LONGEST_QUESTION_CHARS = 10_000;

export default defineCommand('ask', {
  options: z.object({ question: z.string().trim().min(1).max(LONGEST_QUESTION_CHARS) }),
  slow: true,
  async run({ options, services, signal, stream, reply }) {
    const turns = [{ role: 'user', content: options.question }] as const;
    await reply({ text: await stream(services.assistant.answer(turns, signal)) });
  },
});
