import { answer } from '@/lib/catalog/neural';
import { UpstreamFailure } from '@/lib/upstream/failure';
import { askExa } from './exa/ask';
import { forward } from './forward';

export const neuralAnswer = forward(answer, {
  async exa(app, { query, text, systemPrompt, userLocation }) {
    const json = await askExa(app, '/answer', {
      query,
      text,
      systemPrompt,
      userLocation: userLocation?.toUpperCase(),
    });
    if (json.answer === '') throw new UpstreamFailure('failed', 'empty_answer');
    return json;
  },
});
