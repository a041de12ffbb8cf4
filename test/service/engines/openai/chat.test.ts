import { expect, it } from 'vitest';
import { createUpstream } from '../../../../service/back-end/http.ts';
import { createChat } from '../../../../service/engines/openai/chat.ts';
import { chooseModels } from '../../../../service/engines/openai/models.ts';
import { startFakeOpenai } from '../../../fakes/openai.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { engineConfig } from '../../support.ts';

it('fails with the first call for vectors that fails, and ends the others', async () => {
  await using server = await startFakeOpenai();
  await using upstream = createUpstream({ url: server.url, keyVariable: 'NONE' }, silentLog);
  const models = chooseModels([{ id: 'nomic-embed-text' }], engineConfig({}));
  const chat = createChat(upstream, 'talk-1', models);
  server.fail('/embeddings', { kind: 'silent' });
  server.fail('/embeddings', { kind: 'status', status: 500 });
  const texts = ['a', 'b'].map((letter) => letter.repeat(8_000));
  const turn = async (): Promise<Disposable> => new DisposableStack();
  const vectors = chat.embed!({ texts }, new AbortController().signal, turn);
  await expect(Array.fromAsync(vectors)).rejects.toThrow('500');
  expect(await Promise.all(server.requests.map(({ aborted }) => aborted))).toEqual([true, false]);
});
