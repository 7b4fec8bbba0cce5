import type { ReactNode } from 'react';
import { about } from '@/lib/catalog/about';

const steps = [
  [
    'Ask',
    'The agent sends its request. The response is 402: the price, the networks and the address to pay.',
  ],
  ['Sign', 'Its wallet signs a transfer of exactly that amount. Nobody can change it or use it twice.'],
  [
    'Receive',
    'The agent repeats the request with the signature. The service collects the payment on chain and sends the result with a receipt.',
  ],
] as const;

/** The exchange in three steps, in words and as a picture. */
export function HowPaymentWorks(): ReactNode {
  return (
    <section className="band" aria-labelledby="payment">
      <h2 id="payment">How payment works</h2>
      <div className="payment">
        <div>
          <ol>
            {steps.map(([title, text], at) => (
              <li key={title}>
                <h3 data-step={at + 1}>{title}</h3>
                <p>{text}</p>
              </li>
            ))}
          </ol>
          <p>
            The protocols are open: <a href="/docs/paying-with-x402">x402</a> and{' '}
            <a href="/docs/paying-with-mpp">MPP</a>. Agents whose wallet cannot sign each call use a{' '}
            <a href="/docs/prepaid-accounts">prepaid account</a>.
          </p>
        </div>
        <Exchange />
      </div>
    </section>
  );
}

const left = 62;
const middle = 206;
const right = 344;

/** Messages between agent, service and network, from top to bottom. */
function Exchange(): ReactNode {
  return (
    <svg
      className="exchange"
      viewBox="0 0 400 330"
      role="img"
      aria-labelledby="exchange-title"
      aria-describedby="exchange-text"
    >
      <title id="exchange-title">A paid call</title>
      <desc id="exchange-text">
        {`The agent sends a request to ${about.name}, which answers 402 with the price. The agent's wallet signs. The agent sends the request again with the payment. ${about.name} collects the payment on the network, which confirms it, and sends the agent the result with a receipt.`}
      </desc>
      <Lifeline at={left} name="Agent" />
      <Lifeline at={middle} name={about.name} isService />
      <Lifeline at={right} name="Network" />
      <Message from={left} to={middle} at={76} text="request" step={1} />
      <Message from={middle} to={left} at={112} text="402: price" />
      <rect className="note-box" x={left - 27} y={134} width={54} height={30} rx={6} />
      <text x={left} y={154} textAnchor="middle">
        sign
      </text>
      <Step at={154 - 5} number={2} />
      <Message from={left} to={middle} at={198} text="request + payment" step={3} />
      <Message from={middle} to={right} at={228} text="collect" />
      <Message from={right} to={middle} at={258} text="confirmed" />
      <Message from={middle} to={left} at={292} text="result + receipt" />
    </svg>
  );
}

function Lifeline(props: { at: number; name: string; isService?: boolean }): ReactNode {
  const { at, name, isService = false } = props;
  return (
    <>
      <line className="lifeline" x1={at} x2={at} y1={46} y2={318} />
      <rect
        className={isService ? 'party service' : 'party'}
        x={at - 46}
        y={12}
        width={92}
        height={34}
        rx={8}
      />
      <text className={isService ? 'party-name service' : 'party-name'} x={at} y={34} textAnchor="middle">
        {name}
      </text>
    </>
  );
}

interface MessageProps {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly text: string;
  readonly step?: number;
}

function Message({ from, to, at, text, step }: MessageProps): ReactNode {
  const forward = Math.sign(to - from);
  const tip = to - forward * 2;
  return (
    <>
      <line className="message" x1={from} x2={tip - forward * 6} y1={at} y2={at} />
      <path className="tip" d={`M${tip} ${at} l${-forward * 9} -5 v10 z`} />
      <text x={(from + to) / 2} y={at - 8} textAnchor="middle">
        {text}
      </text>
      {step === undefined ? null : <Step at={at} number={step} />}
    </>
  );
}

/** The number of a step, left of its first message. */
function Step({ at, number }: { at: number; number: number }): ReactNode {
  return (
    <>
      <circle className="step-mark" cx={14} cy={at} r={11} />
      <text className="step-number" x={14} y={at + 4.5} textAnchor="middle">
        {number}
      </text>
    </>
  );
}
