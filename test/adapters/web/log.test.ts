import { expect, test } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { startRealWeb, startService } from './start-web.ts';

const SECRET = 'marigold';
const NAME = 'Wilhelmina';

test('nothing that people write or are called stands in the log, at its finest level, whatever fails', async () => {
  const speech = await startService();
  const logged: string[] = [];
  const log = createLog('trace', { write: (line) => void logged.push(line) });
  await using web = await startRealWeb(speech, undefined, undefined, log);
  const [writer, reader] = [web.visit(), web.visit()];
  const [mine, theirs] = [await writer.events(), await reader.events()];
  await reader.post('/api/me', { language: 'es' });
  await writer.post('/api/me', { name: NAME });
  const translated = () =>
    theirs.next((event) =>
      event.type === 'translation' && event.translation.state !== 'growing' ? event : undefined,
    );
  for (const status of [400, 500, 404]) {
    // Services may repeat what they were asked.
    const body = JSON.stringify({ code: status, name: 'ErrFake', error: `${SECRET} is refused` });
    speech.fail(PATHS.translate, ...Array.from({ length: 3 }, () => ({ status, body })));
    await writer.post('/api/lines', { channel: 'lounge', text: `Good morning to ${SECRET}` });
    await translated();
    speech.heal();
  }
  const use = async (options: object, channel = 'playground'): Promise<void> => {
    await writer.post('/api/uses', { channel, command: 'translate', options });
    await mine.message(({ author, working }) => author.ours && !working);
  };
  await use({ text: SECRET, to: 'es' });
  await use({ text: SECRET, to: `nonsense-${SECRET}` });
  expect((await writer.post('/api/lines', `{"text": "${SECRET}`)).status).toBe(400);
  await expect.poll(() => logged.join('')).toContain('command refused');
  const lines = logged.join('');
  expect(lines).toContain('line not translated');
  expect(lines).not.toContain(SECRET);
  expect(lines).not.toContain(NAME);
});
