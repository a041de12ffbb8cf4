export { createEngine } from '../../../../service/engines/openai.ts';
