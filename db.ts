import { z } from 'zod';
import { parseConfig, readEnvFile } from './src/config.ts';
import { AppError } from './src/errors.ts';
import { runProgram } from './src/process/program.ts';
import { databaseUrl } from './src/store/index.ts';
import { runTool } from './src/store/tool/run.ts';

runProgram(process.env, async (stopped, say) => {
  const section = z.object({ DATABASE_URL: databaseUrl });
  const { core } = parseConfig({ ...readEnvFile('.env'), ...process.env }, { core: section });
  const stopping = new AbortController();
  void stopped.then(() =>
    stopping.abort(new AppError('cancelled', 'Stopped; nothing was changed.')),
  );
  await runTool(process.argv.slice(2), {
    databaseUrl: core.DATABASE_URL,
    say,
    signal: stopping.signal,
    nowMs: Date.now,
  });
});
