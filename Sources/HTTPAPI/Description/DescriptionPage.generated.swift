// Made by Tools/describe; not to be edited.

/// `/docs`
enum DescriptionPage {
    static let text = #"""
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GreenTea API</title>
<style>
:root { color-scheme: light dark; --ink: #1c2420; --dim: #5d6b64; --line: #d9e2dc; --paper: #fff; --leaf: #1f7a4d; --soft: #f3f7f4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4ece7; --dim: #9aa8a0; --line: #2c3832; --paper: #121714; --leaf: #6fcf9b; --soft: #1a211d; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, "Noto Sans SC", sans-serif; }
a { color: var(--leaf); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, .path { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .88em; }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--soft); padding: .8rem 1rem; border-radius: 8px; overflow-x: auto; line-height: 1.45; }
pre code { padding: 0; background: none; font-size: 1em; }
nav { position: fixed; inset: 0 auto 0 0; width: 19rem; overflow-y: auto; padding: 1.2rem; border-right: 1px solid var(--line); }
nav { font-size: .88rem; }
nav h2 { font-size: .8rem; margin: 1.1rem 0 .2rem; font-weight: 600; border: 0; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { padding: .08rem 0; }
main { margin-left: 19rem; padding: 1.5rem 2.5rem 6rem; max-width: 62rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .3rem 0 .6rem; } h2 { margin-top: 3rem; border-bottom: 2px solid var(--leaf); }
section.operation { border-top: 1px solid var(--line); padding-top: .4rem; margin-top: 1.6rem; }
section.operation h3 { margin: .6rem 0 .1rem; font-size: 1.12rem; }
.method { display: inline-block; min-width: 4.3em; font-weight: 700; color: var(--leaf); }
.path { font-size: .95rem; overflow-wrap: anywhere; } .dim { color: var(--dim); } .who { font-size: .85rem; color: var(--dim); }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 600; } details { margin: .4rem 0; } summary { cursor: pointer; color: var(--dim); }
td.status { width: 4rem; font-weight: 700; }
@media (max-width: 56rem) { nav { position: static; width: auto; border: 0; } main { margin: 0; padding: 1rem; } }
@media print { nav { display: none; } main { margin: 0; } details { display: block; } }
</style></head><body>
<nav><strong>GreenTea</strong>
<h2><a href="#tag-sign-in">Sign in</a></h2><ul>
<li><a href="#beginVerification">Send a code to a phone</a></li>
<li><a href="#signIn">Sign in</a></li>
<li><a href="#signOutEverywhere">Sign out everywhere</a></li>
<li><a href="#refreshSession">Refresh a session</a></li>
<li><a href="#signOut">Sign out here</a></li>
</ul>
<h2><a href="#tag-me">Me</a></h2><ul>
<li><a href="#getMe">My account</a></li>
<li><a href="#editMe">Edit my profile</a></li>
<li><a href="#eraseMe">Erase my account</a></li>
<li><a href="#setPassword">Set or change my password</a></li>
<li><a href="#removePassword">Take my password away</a></li>
<li><a href="#listMySessions">Where I am signed in</a></li>
<li><a href="#endMySession">Sign out in one place</a></li>
<li><a href="#exportMe">Everything that is held about me</a></li>
<li><a href="#listMyCards">My cards, newest first</a></li>
<li><a href="#listFavorites">My favourite campaigns</a></li>
<li><a href="#listNotices">My notices, newest first</a></li>
<li><a href="#muteShop">Get no more notices from a shop</a></li>
<li><a href="#unmuteShop">Get a shop&#x27;s notices again</a></li>
<li><a href="#listMyShops">Shops that I own or work for</a></li>
<li><a href="#listInvitations">Open offers to me, newest first</a></li>
<li><a href="#acceptInvitation">Accept an offer</a></li>
<li><a href="#declineInvitation">Decline an offer</a></li>
<li><a href="#leaveShop">Work for a shop no more</a></li>
<li><a href="#readNotice">Mark a notice as read</a></li>
<li><a href="#giveFeedback">Tell the operator something</a></li>
</ul>
<h2><a href="#tag-discover">Discover</a></h2><ul>
<li><a href="#listCampaigns">Find campaigns</a></li>
<li><a href="#getCampaign">A campaign&#x27;s page</a></li>
<li><a href="#listShops">Find shops</a></li>
<li><a href="#getShop">A shop&#x27;s page</a></li>
<li><a href="#addFavorite">Make a campaign a favourite</a></li>
<li><a href="#removeFavorite">No longer a favourite</a></li>
</ul>
<h2><a href="#tag-collect">Collect</a></h2><ul>
<li><a href="#enterStampCode">Enter a stamp code</a></li>
<li><a href="#getCard">One of my cards, with its history</a></li>
<li><a href="#discardCard">Throw a card away</a></li>
<li><a href="#requestRedemption">Ask for a redemption code</a></li>
<li><a href="#getRedemption">What became of a redemption</a></li>
</ul>
<h2><a href="#tag-shop">Shop</a></h2><ul>
<li><a href="#editCampaign">Edit a campaign</a></li>
<li><a href="#openShop">Open a shop</a></li>
<li><a href="#editShop">Edit a shop</a></li>
<li><a href="#listStaff">Who works at a shop</a></li>
<li><a href="#inviteStaff">Offer an account to work here</a></li>
<li><a href="#removeStaff">End an account&#x27;s work here, or an open offer to it</a></li>
<li><a href="#listOffers">A shop&#x27;s open offers</a></li>
<li><a href="#invitePhone">Offer whoever has a phone number to work here</a></li>
<li><a href="#withdrawOffer">Withdraw an open offer</a></li>
<li><a href="#publishCampaign">Publish a campaign</a></li>
<li><a href="#endCampaign">End a campaign now</a></li>
<li><a href="#issueCode">Issue a stamp code</a></li>
<li><a href="#getCode">What became of a stamp code</a></li>
<li><a href="#destroyCode">Destroy an open stamp code</a></li>
<li><a href="#previewRedemption">Look at a redemption code</a></li>
<li><a href="#redeem">Redeem</a></li>
<li><a href="#reverseRedemption">Take a redemption back</a></li>
<li><a href="#getStatistics">A shop&#x27;s figures by day</a></li>
<li><a href="#getAnalytics">Who comes back, and which cards are left</a></li>
</ul>
<h2><a href="#tag-reviews">Reviews</a></h2><ul>
<li><a href="#listReviews">A shop&#x27;s reviews, newest first, each with its thread</a></li>
<li><a href="#postReview">Review a shop</a></li>
<li><a href="#postReply">Reply to a review or a reply</a></li>
<li><a href="#removeReview">Remove a review or a reply</a></li>
</ul>
<h2><a href="#tag-images">Images</a></h2><ul>
<li><a href="#uploadImage">Upload a picture</a></li>
<li><a href="#getImage">A picture</a></li>
<li><a href="#takeDownImage">Take a picture down</a></li>
</ul>
<h2><a href="#tag-live">Live</a></h2><ul>
<li><a href="#followEvents">What happens to me, as it happens</a></li>
</ul>
<h2><a href="#tag-proof">Proof</a></h2><ul>
<li><a href="#getReceipt">The proof of one of my stamps</a></li>
<li><a href="#getCheckpoint">The log&#x27;s newest signed checkpoint</a></li>
<li><a href="#getTile">A tile of the log&#x27;s tree</a></li>
</ul>
<h2><a href="#tag-operate">Operate</a></h2><ul>
<li><a href="#postNotice">Send a notice</a></li>
<li><a href="#adjustCard">Correct a card</a></li>
<li><a href="#suspendShop">Suspend a shop</a></li>
<li><a href="#reinstateShop">Reinstate a shop</a></li>
<li><a href="#listFeedback">What people told the operator</a></li>
<li><a href="#listEvents">The log</a></li>
<li><a href="#getHealth">Whether the process is alive</a></li>
<li><a href="#getReadiness">Whether requests should come here</a></li>
<li><a href="#getMetrics">Figures in Prometheus&#x27; text format</a></li>
</ul>
<h2><a href="#tag-pages">Pages</a></h2><ul>
<li><a href="#showCampaign">A campaign, shared</a></li>
<li><a href="#showShop">A shop, shared, or a stamp code, scanned</a></li>
<li><a href="#showRedemptionCode">A redemption code, scanned</a></li>
</ul>
<h2><a href="#tag-description">Description</a></h2><ul>
<li><a href="#getDescription">This description</a></li>
<li><a href="#getDescriptionAsJSON">This description as JSON</a></li>
<li><a href="#getDocs">This description as a page</a></li>
</ul>
<h2><a href=#schemas>Schemas</a></h2></nav>
<main>
<h1>GreenTea API</h1>
<p class=dim>Digital stamp cards for tea, dessert and coffee shops. 
Version 1.0.0; also as <a href=/openapi.yaml>YAML</a> and <a href=/openapi.json>JSON</a>.</p>
<p>A merchant opens a shop and publishes a campaign: ten cups, the eleventh is free. Who pays is shown a one-time stamp code and enters it; the card gains a stamp. A full card is redeemed with a one-time redemption code that the merchant verifies.</p>
<p><strong>Signing in.</strong> <code>POST /v1/verifications</code> sends six digits to a phone, <code>POST /v1/sessions</code> turns them into an access token of 15 minutes and a refresh token. Send the access token as <code>Authorization: Bearer …</code>. Each refresh token works once; the use of an old one, more than ten seconds later, ends its whole family.</p>
<p><strong>Writes</strong> take an <code>Idempotency-Key</code>, your own name for the request. The same key with the same request answers what it answered the first time, byte for byte, for ever, and has no second effect; what was refused is judged anew. The same key with another request is refused. Stamping and redeeming need one. A request that was accepted although nothing was left to do, such as a favourite made a favourite again, is remembered for a day; signing in and refreshing for five minutes.</p>
<p><strong>Reading your writes.</strong> Each answer to a write carries <code>GreenTea-Position</code>. A read that sends it back as <code>GreenTea-Min-Position</code> answers from no earlier state.</p>
<p><strong>Edits</strong> send the <code>ETag</code> that they saw as <code>If-Match</code>.</p>
<p><strong>Lists</strong> come in pages: <code>{&quot;items&quot;: […], &quot;next&quot;: &quot;&lt;cursor&gt;&quot; | null}</code>. A page may hold fewer items than were asked for, or none; <code>next</code> alone says whether there are more. A search looks at so many things a page and no more, whatever it asks for. A list by popularity that is gone on with after thousands of favourites have changed goes on as it stands then.</p>
<p><strong>Ids</strong> have a prefix and 26 characters (<code>card_01hv…</code>). One of another kind is not found. <strong>Times</strong> are RFC 3339 in UTC with milliseconds. <strong>Coordinates</strong> are WGS 84 degrees. In requests, <code>null</code> is as good as leaving a field out, except where an edit says otherwise, and fields that are not described are ignored.</p>
<p><strong>Problems</strong> are RFC 9457 documents; compare <code>code</code>, show <code>title</code> and <code>detail</code>, which come in English or, with <code>Accept-Language: zh-Hans</code>, in Chinese, as do the details of <code>errors</code>. An address that does not take a method answers 405 <code>methodNotAllowed</code> with <code>Allow</code>; one that does not exist 404 <code>notFound</code>.</p>
<p><strong>Rates.</strong> An account may send 600 requests at once and 20 a second in the long run, an address 6,000 and 200; beyond that it is answered 429 <code>rateLimited</code> with <code>Retry-After</code>. The pages of shared links count like the API; health, metrics and proofs count apart, 6,000 at once and 600 a second. For an address, a JSON answer counts as one more request for each 4,096 bytes that it is long. Some operations allow less. A refusal of an address ends its connection, unless a proxy stands between. An address opens 600 connections at once and 40 a second, an IPv6 /48 four times as many.</p>
<p><strong>Texts</strong> are counted in Unicode code points. The format <code>line</code> means: no control characters, no line ends, no controls of writing direction, and at least one visible character where it may not be empty. The format <code>lines</code> allows line ends and tabs as well, and controls of writing direction that are closed on their line. Code points that are no characters are refused in both.</p>
<h2 id="tag-sign-in">Sign in</h2><p>A phone number is an account.</p>
<section class=operation id="beginVerification"><h3>Send a code to a phone</h3>
<div class=path><span class=method>POST</span> /v1/verifications</div>
<div class=who>Who: anyone · <code>beginVerification</code></div>
<p>Six digits by text message, good for five minutes; whoever asked has five tries. Asking again within that time gives the same code and the same <code>expiresAt</code>; a message leaves once a minute at most. How many leave in a day is limited by number, by network and in total, and messages may be limited to some countries. The answer is the same whether or not the phone is known.</p>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-VerificationRequest">VerificationRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>phone</code></td><td><a href="#schema-Phone">Phone</a> <strong>required</strong></td><td>E.164.</td></tr>
</tbody></table>
<pre><code>{
  &quot;phone&quot;: &quot;+8613800138000&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>202</strong></td><td>The code is on its way. <span class=dim>application/json</span> <a href="#schema-VerificationSent">VerificationSent</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment.</td></tr>
</tbody></table>
</section>
<section class=operation id="signIn"><h3>Sign in</h3>
<div class=path><span class=method>POST</span> /v1/sessions</div>
<div class=who>Who: anyone · <code>signIn</code></div>
<p>With the code that was sent to the phone, or with a password. The first code of a phone registers its account. An <code>Idempotency-Key</code> is good for five minutes, as long as the session goes on and the service is not restarted: the answer holds secrets that are stored nowhere. Wrong codes are counted by the network that they come from: they make that network wait, and never make the right code fail. Ten wrong passwords for one phone from one network within ten minutes, or thirty from one address, and it has to wait; right ones are counted too, since each costs the service much. Twenty sessions of an account are open at most; the oldest ends for the next.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-SessionRequest">SessionRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>phone</code></td><td><a href="#schema-Phone">Phone</a> <strong>required</strong></td><td>E.164.</td></tr>
<tr><td><code>code</code></td><td>string</td><td>The six digits.</td></tr>
<tr><td><code>password</code></td><td>string</td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;phone&quot;: &quot;+8613800138000&quot;,
  &quot;code&quot;: &quot;314159&quot;
}</code></pre>
<pre><code>{
  &quot;phone&quot;: &quot;+8613800138000&quot;,
  &quot;password&quot;: &quot;correct horse battery staple&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Signed in. <span class=dim>application/json</span> <a href="#schema-Session">Session</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code>, <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>verificationNotValid</code>: The code or the password is wrong. · <code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="signOutEverywhere"><h3>Sign out everywhere</h3>
<div class=path><span class=method>DELETE</span> /v1/sessions</div>
<div class=who>Who: signed in · <code>signOutEverywhere</code></div>
<p>Ends all sessions of the account, this one included.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Signed out.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="refreshSession"><h3>Refresh a session</h3>
<div class=path><span class=method>POST</span> /v1/sessions/refresh</div>
<div class=who>Who: anyone · <code>refreshSession</code></div>
<p>Each refresh token works once. Within ten seconds the same token gets the same answer again, so that two tabs may refresh at once; after that, or after a restart of the service, its use ends the session and everything that came of it. Send an <code>Idempotency-Key</code>: with it, whoever lost the answer gets the same pair of tokens again, for five minutes, as long as the session goes on and the service is not restarted.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-RefreshRequest">RefreshRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>refreshToken</code></td><td>string <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;refreshToken&quot;: &quot;ses_01kahqz8zefx9r4gk0v2d3w5ye.rt_5v0zt8d3k7w1qj9m4x6r2n8c0b&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Signed in. <span class=dim>application/json</span> <a href="#schema-Session">Session</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code>, <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="signOut"><h3>Sign out here</h3>
<div class=path><span class=method>DELETE</span> /v1/sessions/current</div>
<div class=who>Who: signed in · <code>signOut</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Signed out.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<h2 id="tag-me">Me</h2><p>What an account sees and says of itself.</p>
<section class=operation id="getMe"><h3>My account</h3>
<div class=path><span class=method>GET</span> /v1/me</div>
<div class=who>Who: signed in · <code>getMe</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The account. <span class=dim>application/json</span> <a href="#schema-Account">Account</a><br><span class=dim>with <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="editMe"><h3>Edit my profile</h3>
<div class=path><span class=method>PATCH</span> /v1/me</div>
<div class=who>Who: signed in · <code>editMe</code></div>
<p>Fields that are left out stay as they are; <code>null</code> clears one. <code>If-Match</code> is optional here, since nobody else edits it. Sixty edits within ten minutes, and the account has to wait; one that sets nothing does not count.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
<tr><td><code>If-Match</code></td><td>header</td><td>string <span class=dim>(<code>^(\*|&quot;[0-9]{1,20}&quot;)$</code>)</span></td><td>The <code>ETag</code> that was read, or <code>*</code>.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-ProfileRequest">ProfileRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>nickname</code></td><td>string or null <span class=dim>(1–50 characters, line)</span></td><td></td></tr>
<tr><td><code>avatar</code></td><td><a href="#schema-ImageID">ImageID</a> or null</td><td></td></tr>
<tr><td><code>gender</code></td><td><code>female</code> | <code>male</code> | <code>other</code> | <code>null</code></td><td></td></tr>
<tr><td><code>birthday</code></td><td>string or null <span class=dim>(date)</span></td><td>Since 1900.</td></tr>
<tr><td><code>city</code></td><td>string or null <span class=dim>(1–100 characters, line)</span></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;nickname&quot;: &quot;小绿&quot;,
  &quot;city&quot;: &quot;上海&quot;,
  &quot;birthday&quot;: &quot;1998-05-20&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The account as it is now. <span class=dim>application/json</span> <a href="#schema-Account">Account</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>412</strong></td><td><code>versionConflict</code>: It was changed since it was read.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="eraseMe"><h3>Erase my account</h3>
<div class=path><span class=method>DELETE</span> /v1/me</div>
<div class=who>Who: signed in · <code>eraseMe</code></div>
<p>Destroys the key of my personal data and ends all sessions. Cards, stamps and ratings still count, without a name. The phone can register anew. A shop that I own closes with me: its campaigns end, its contact data is destroyed, and its staff may redeem full cards for 30 days.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Erased.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="setPassword"><h3>Set or change my password</h3>
<div class=path><span class=method>PUT</span> /v1/me/password</div>
<div class=who>Who: signed in · <code>setPassword</code></div>
<p>Ends all other sessions. Either <code>code</code>, which <code>POST /verifications</code> sent to the account&#x27;s own number, or the password that there is as <code>current</code>; the first password needs a code. A wrong one is <code>verificationNotValid</code>. Where both are sent, the code counts.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-PasswordRequest">PasswordRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>current</code></td><td>string</td><td>The password that there is; not needed with a code.</td></tr>
<tr><td><code>code</code></td><td>string</td><td>Six digits that were sent to the account&#x27;s own number; needed for the first password.</td></tr>
<tr><td><code>new</code></td><td>string <span class=dim>(8–128 characters, line)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;new&quot;: &quot;correct horse battery staple&quot;,
  &quot;code&quot;: &quot;123456&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Set.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>verificationNotValid</code>: The code or the password is wrong. · <code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="removePassword"><h3>Take my password away</h3>
<div class=path><span class=method>DELETE</span> /v1/me/password</div>
<div class=who>Who: signed in · <code>removePassword</code></div>
<p>From then on a code alone signs in. Sessions go on.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>There is none, or none any more.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="listMySessions"><h3>Where I am signed in</h3>
<div class=path><span class=method>GET</span> /v1/me/sessions</div>
<div class=who>Who: signed in · <code>listMySessions</code></div>
<p>Newest first, all on one page. <code>lastSeenAt</code> is a quarter of an hour late at most. <code>device</code> is what the session&#x27;s client last called itself in <code>User-Agent</code>; it is not stored, so after a restart of the service it is null until the client comes again.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The sessions that are open. <span class=dim>application/json</span> <a href="#schema-MySessions">MySessions</a><br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="endMySession"><h3>Sign out in one place</h3>
<div class=path><span class=method>DELETE</span> /v1/me/sessions/{id}</div>
<div class=who>Who: signed in · <code>endMySession</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-SessionID">SessionID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>It is over.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="exportMe"><h3>Everything that is held about me</h3>
<div class=path><span class=method>GET</span> /v1/me/export</div>
<div class=who>Who: signed in · <code>exportMe</code></div>
<p>Read from the log, so that no read model can leave a thing out; only which notices reached the account a model knows. Ten times in ten minutes; one is made at a time, for whoever it is.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The account&#x27;s data, its personal fields in the clear. <span class=dim>application/json</span> <a href="#schema-Export">Export</a><br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="listMyCards"><h3>My cards, newest first</h3>
<div class=path><span class=method>GET</span> /v1/me/cards</div>
<div class=who>Who: signed in · <code>listMyCards</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>status</code></td><td>query</td><td>string <span class=dim>(<code>^(collecting|full|redeemed|discarded)(,(collecting|full|redeemed|discarded)){0,3}$</code>)</span></td><td>Some of collecting, full, redeemed and discarded, with commas; collecting and full where it is absent.</td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of cards. <span class=dim>application/json</span> <a href="#schema-CardPage">CardPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="listFavorites"><h3>My favourite campaigns</h3>
<div class=path><span class=method>GET</span> /v1/me/favorites</div>
<div class=who>Who: signed in · <code>listFavorites</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of campaigns. <span class=dim>application/json</span> <a href="#schema-CampaignPage">CampaignPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="listNotices"><h3>My notices, newest first</h3>
<div class=path><span class=method>GET</span> /v1/me/notices</div>
<div class=who>Who: signed in · <code>listNotices</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of notices, and how many are unread altogether. <span class=dim>application/json</span> <a href="#schema-NoticePage">NoticePage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="muteShop"><h3>Get no more notices from a shop</h3>
<div class=path><span class=method>PUT</span> /v1/me/mutes/{shop}</div>
<div class=who>Who: signed in · <code>muteShop</code></div>
<p>What it posts from now on is not received, counted or streamed, also not after the muting ends.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>shop</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Muted.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="unmuteShop"><h3>Get a shop&#x27;s notices again</h3>
<div class=path><span class=method>DELETE</span> /v1/me/mutes/{shop}</div>
<div class=who>Who: signed in · <code>unmuteShop</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>shop</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>What it posts from now on is received.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="listMyShops"><h3>Shops that I own or work for</h3>
<div class=path><span class=method>GET</span> /v1/me/shops</div>
<div class=who>Who: signed in · <code>listMyShops</code></div>
<p>All of them, my own first.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The shops, with my role. <span class=dim>application/json</span> <a href="#schema-WorkplacePage">WorkplacePage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="listInvitations"><h3>Open offers to me, newest first</h3>
<div class=path><span class=method>GET</span> /v1/me/invitations</div>
<div class=who>Who: signed in · <code>listInvitations</code></div>
<p>A page may hold fewer than asked for, or none, and not be the last; <code>next</code> tells.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of offers. <span class=dim>application/json</span> <a href="#schema-InvitationPage">InvitationPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="acceptInvitation"><h3>Accept an offer</h3>
<div class=path><span class=method>POST</span> /v1/me/invitations/{id}/acceptance</div>
<div class=who>Who: signed in · <code>acceptInvitation</code></div>
<p>I work there from now on, and neither collect nor redeem nor review there.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-InvitationID">InvitationID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>I work there.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>offerNotOpen</code>: The offer was answered or withdrawn, or has lapsed.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="declineInvitation"><h3>Decline an offer</h3>
<div class=path><span class=method>DELETE</span> /v1/me/invitations/{id}</div>
<div class=who>Who: signed in · <code>declineInvitation</code></div>
<p>Declining it again, or one that was withdrawn, changes nothing.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-InvitationID">InvitationID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Declined.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>offerNotOpen</code>: The offer was answered or withdrawn, or has lapsed.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="leaveShop"><h3>Work for a shop no more</h3>
<div class=path><span class=method>DELETE</span> /v1/me/employments/{shop}</div>
<div class=who>Who: signed in · <code>leaveShop</code></div>
<p>My open codes there are destroyed. The owner cannot leave.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>shop</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>I do not work there.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="readNotice"><h3>Mark a notice as read</h3>
<div class=path><span class=method>PUT</span> /v1/me/notices/{id}/read</div>
<div class=who>Who: signed in · <code>readNotice</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-NoticeID">NoticeID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Read.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="giveFeedback"><h3>Tell the operator something</h3>
<div class=path><span class=method>POST</span> /v1/feedback</div>
<div class=who>Who: signed in · <code>giveFeedback</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-TextRequest">TextRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>text</code></td><td>string <span class=dim>(1–2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;text&quot;: &quot;The map shows my shop on the wrong side of the road.&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>202</strong></td><td>Taken down. <span class=dim>application/json</span> <a href="#schema-FeedbackTaken">FeedbackTaken</a><br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<h2 id="tag-discover">Discover</h2><p>Shops and campaigns, for anyone.</p>
<section class=operation id="listCampaigns"><h3>Find campaigns</h3>
<div class=path><span class=method>GET</span> /v1/campaigns</div>
<div class=who>Who: anyone · <code>listCampaigns</code></div>
<p>Near a place, by words in any script, of one shop, running now. With <code>near</code>, each item has its <code>distance</code> in metres on the great circle, and <code>sort=distance</code> is possible.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>near</code></td><td>query</td><td>string <span class=dim>(<code>^-?([0-8]?[0-9](\.[0-9]{1,9})?|90(\.0)?),-?((1[0-7][0-9]|[0-9]{1,2})(\.[0-9]{1,9})?|180(\.0)?)$</code>)</span></td><td>A place, as latitude and longitude with a comma.</td></tr>
<tr><td><code>radius</code></td><td>query</td><td>number <span class=dim>(1–100000)</span></td><td>Metres around the place; 5,000 where it is absent.</td></tr>
<tr><td><code>q</code></td><td>query</td><td>string <span class=dim>(≤ 100 characters)</span></td><td>Words, or their beginnings, in any script.</td></tr>
<tr><td><code>kind</code></td><td>query</td><td><a href="#schema-CampaignKind">CampaignKind</a></td><td></td></tr>
<tr><td><code>shop</code></td><td>query</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>running</code></td><td>query</td><td><code>true</code> | <code>false</code></td><td>Whether it has to be running now.</td></tr>
<tr><td><code>sort</code></td><td>query</td><td><code>distance</code> | <code>newest</code> | <code>popular</code></td><td>By distance where a place is named, else the newest first.</td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of campaigns. <span class=dim>application/json</span> <a href="#schema-CampaignPage">CampaignPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="getCampaign"><h3>A campaign&#x27;s page</h3>
<div class=path><span class=method>GET</span> /v1/campaigns/{id}</div>
<div class=who>Who: anyone · <code>getCampaign</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The campaign. <span class=dim>application/json</span> <a href="#schema-CampaignDetails">CampaignDetails</a><br><span class=dim>with <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="listShops"><h3>Find shops</h3>
<div class=path><span class=method>GET</span> /v1/shops</div>
<div class=who>Who: anyone · <code>listShops</code></div>
<p>Each with the newest of its campaigns that are not over.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>near</code></td><td>query</td><td>string <span class=dim>(<code>^-?([0-8]?[0-9](\.[0-9]{1,9})?|90(\.0)?),-?((1[0-7][0-9]|[0-9]{1,2})(\.[0-9]{1,9})?|180(\.0)?)$</code>)</span></td><td>A place, as latitude and longitude with a comma.</td></tr>
<tr><td><code>radius</code></td><td>query</td><td>number <span class=dim>(1–100000)</span></td><td>Metres around the place; 5,000 where it is absent.</td></tr>
<tr><td><code>q</code></td><td>query</td><td>string <span class=dim>(≤ 100 characters)</span></td><td>Words, or their beginnings, in any script.</td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of shops. <span class=dim>application/json</span> <a href="#schema-ShopPage">ShopPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="getShop"><h3>A shop&#x27;s page</h3>
<div class=path><span class=method>GET</span> /v1/shops/{id}</div>
<div class=who>Who: anyone · <code>getShop</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The shop with its campaigns. <span class=dim>application/json</span> <a href="#schema-Shop">Shop</a><br><span class=dim>with <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="addFavorite"><h3>Make a campaign a favourite</h3>
<div class=path><span class=method>PUT</span> /v1/campaigns/{id}/favorite</div>
<div class=who>Who: signed in · <code>addFavorite</code></div>
<p>An account may change what it keeps 300 times in ten minutes; what changes nothing does not count.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>It is one now.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="removeFavorite"><h3>No longer a favourite</h3>
<div class=path><span class=method>DELETE</span> /v1/campaigns/{id}/favorite</div>
<div class=who>Who: signed in · <code>removeFavorite</code></div>
<p>Counted as adding one is.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>It is none now.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<h2 id="tag-collect">Collect</h2><p>Cards, stamps, rewards.</p>
<section class=operation id="enterStampCode"><h3>Enter a stamp code</h3>
<div class=path><span class=method>POST</span> /v1/stamps</div>
<div class=who>Who: signed in · <code>enterStampCode</code></div>
<p>Adds the code&#x27;s stamps to my collecting card of its campaign, opens a card where there is none, and puts what goes beyond the goal on a new one. A code that is unknown, used, destroyed, expired, or of another campaign is answered alike. Ten that nobody issued within ten minutes, and the account has to wait.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header, required</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-StampRequest">StampRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>code</code></td><td>string <strong>required</strong></td><td>As it was typed or scanned: hyphens, blanks, case and full width do not matter, I and L are 1, O is 0.</td></tr>
<tr><td><code>campaign</code></td><td><a href="#schema-CampaignID">CampaignID</a> or null</td><td>Where given, the code must be of this campaign.</td></tr>
</tbody></table>
<pre><code>{
  &quot;code&quot;: &quot;K7QF-2M9X&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Stamped. <span class=dim>application/json</span> <a href="#schema-Stamped">Stamped</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what. · <code>idempotencyKeyRequired</code>: This request needs an Idempotency-Key.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>ownCampaign</code>: Nobody collects or redeems at a shop that they own or work for. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>campaignNotRunning</code>: The campaign has not begun or is over.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>codeNotValid</code>: Unknown, used, destroyed, expired, or of another campaign. · <code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="getCard"><h3>One of my cards, with its history</h3>
<div class=path><span class=method>GET</span> /v1/cards/{id}</div>
<div class=who>Who: signed in · <code>getCard</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CardID">CardID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The card. <span class=dim>application/json</span> <a href="#schema-Card">Card</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="discardCard"><h3>Throw a card away</h3>
<div class=path><span class=method>DELETE</span> /v1/cards/{id}</div>
<div class=who>Who: signed in · <code>discardCard</code></div>
<p>The card stays readable, as discarded.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CardID">CardID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Thrown away.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="requestRedemption"><h3>Ask for a redemption code</h3>
<div class=path><span class=method>POST</span> /v1/cards/{id}/redemption</div>
<div class=who>Who: signed in · <code>requestRedemption</code></div>
<p>For a full card; good for five minutes. A newer one ends the older. Ten for one card within ten minutes, and it has to wait.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CardID">CardID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>The code, to be shown at the counter. <span class=dim>application/json</span> <a href="#schema-RedemptionCode">RedemptionCode</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code>, <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>ownCampaign</code>: Nobody collects or redeems at a shop that they own or work for. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>cardNotFull</code>: Only a full card can be redeemed.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="getRedemption"><h3>What became of a redemption</h3>
<div class=path><span class=method>GET</span> /v1/redemptions/{id}</div>
<div class=who>Who: signed in · <code>getRedemption</code></div>
<p>For the card&#x27;s holder, and for the shop&#x27;s owner and staff.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-RedemptionID">RedemptionID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The redemption. <span class=dim>application/json</span> <a href="#schema-Redemption">Redemption</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<h2 id="tag-shop">Shop</h2><p>For a shop&#x27;s owner and staff.</p>
<section class=operation id="editCampaign"><h3>Edit a campaign</h3>
<div class=path><span class=method>PATCH</span> /v1/campaigns/{id}</div>
<div class=who>Who: the shop&#x27;s owner · <code>editCampaign</code></div>
<p>Fields that are left out stay as they are. A changed goal holds for cards that open later.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
<tr><td><code>If-Match</code></td><td>header, required</td><td>string <span class=dim>(<code>^(\*|&quot;[0-9]{1,20}&quot;)$</code>)</span></td><td>The <code>ETag</code> that was read, or <code>*</code>.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-CampaignEdit">CampaignEdit</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>title</code></td><td>string <span class=dim>(1–100 characters, line)</span></td><td></td></tr>
<tr><td><code>details</code></td><td>string <span class=dim>(≤ 2000 characters, lines)</span></td><td></td></tr>
<tr><td><code>goal</code></td><td>integer <span class=dim>(1–50)</span></td><td></td></tr>
<tr><td><code>reward</code></td><td>string or null <span class=dim>(≤ 100 characters, line)</span></td><td></td></tr>
<tr><td><code>startsAt</code></td><td>string <span class=dim>(date-time)</span></td><td></td></tr>
<tr><td><code>endsAt</code></td><td>string <span class=dim>(date-time)</span></td><td></td></tr>
<tr><td><code>image</code></td><td><a href="#schema-ImageID">ImageID</a> or null</td><td></td></tr>
<tr><td><code>stampsPerDayMax</code></td><td>integer or null <span class=dim>(1–50)</span></td><td></td></tr>
<tr><td><code>minimumGapSeconds</code></td><td>integer or null <span class=dim>(1–86400)</span></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;goal&quot;: 8
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The campaign as it is now. <span class=dim>application/json</span> <a href="#schema-CampaignDetails">CampaignDetails</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>412</strong></td><td><code>versionConflict</code>: It was changed since it was read.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>428</strong></td><td><code>preconditionRequired</code>: This edit needs an If-Match.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="openShop"><h3>Open a shop</h3>
<div class=path><span class=method>POST</span> /v1/shops</div>
<div class=who>Who: signed in · <code>openShop</code></div>
<p>The account becomes a merchant. An account opens one shop.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-ShopRequest">ShopRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>name</code></td><td>string <span class=dim>(1–100 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>phone</code></td><td><a href="#schema-ShopPhone">ShopPhone</a> <strong>required</strong></td><td>As it is printed.</td></tr>
<tr><td><code>address</code></td><td>string <span class=dim>(1–200 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>location</code></td><td><a href="#schema-Coordinate">Coordinate</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>images</code></td><td>array of <a href="#schema-ImageID">ImageID</a> or null <span class=dim>(≤ 9 items)</span></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;name&quot;: &quot;好喝奶茶店&quot;,
  &quot;phone&quot;: &quot;010-1234 5678&quot;,
  &quot;address&quot;: &quot;南京东路 1 号&quot;,
  &quot;location&quot;: {
    &quot;latitude&quot;: 31.2304,
    &quot;longitude&quot;: 121.4737
  }
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Open. <span class=dim>application/json</span> <a href="#schema-Shop">Shop</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>409</strong></td><td><code>alreadyMerchant</code>: The account has a shop already.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="editShop"><h3>Edit a shop</h3>
<div class=path><span class=method>PATCH</span> /v1/shops/{id}</div>
<div class=who>Who: the shop&#x27;s owner · <code>editShop</code></div>
<p>Fields that are left out stay as they are.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
<tr><td><code>If-Match</code></td><td>header, required</td><td>string <span class=dim>(<code>^(\*|&quot;[0-9]{1,20}&quot;)$</code>)</span></td><td>The <code>ETag</code> that was read, or <code>*</code>.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-ShopEdit">ShopEdit</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>name</code></td><td>string <span class=dim>(1–100 characters, line)</span></td><td></td></tr>
<tr><td><code>phone</code></td><td><a href="#schema-ShopPhone">ShopPhone</a></td><td>As it is printed.</td></tr>
<tr><td><code>address</code></td><td>string <span class=dim>(1–200 characters, line)</span></td><td></td></tr>
<tr><td><code>location</code></td><td><a href="#schema-Coordinate">Coordinate</a></td><td></td></tr>
<tr><td><code>images</code></td><td>array of <a href="#schema-ImageID">ImageID</a> <span class=dim>(≤ 9 items)</span></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;phone&quot;: &quot;010-8765 4321&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The shop as it is now. <span class=dim>application/json</span> <a href="#schema-Shop">Shop</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>412</strong></td><td><code>versionConflict</code>: It was changed since it was read.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>428</strong></td><td><code>preconditionRequired</code>: This edit needs an If-Match.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="listStaff"><h3>Who works at a shop</h3>
<div class=path><span class=method>GET</span> /v1/shops/{id}/staff</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>listStaff</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The owner and the staff. <span class=dim>application/json</span> <a href="#schema-Staff">Staff</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="inviteStaff"><h3>Offer an account to work here</h3>
<div class=path><span class=method>PUT</span> /v1/shops/{id}/staff/{account}</div>
<div class=who>Who: the shop&#x27;s owner · <code>inviteStaff</code></div>
<p>Nothing changes for the account until it accepts, within seven days. The answer is the same whether or not there is such an account. Staff may issue codes and redeem; nobody collects where they work. Sixty offers within a day, and the owner has to wait. Their own id, which GET /me shows, is what somebody tells the owner.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>account</code></td><td>path, required</td><td><a href="#schema-AccountID">AccountID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>202</strong></td><td>Offered, or so already. <span class=dim>application/json</span> <a href="#schema-Offered">Offered</a><br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="removeStaff"><h3>End an account&#x27;s work here, or an open offer to it</h3>
<div class=path><span class=method>DELETE</span> /v1/shops/{id}/staff/{account}</div>
<div class=who>Who: the shop&#x27;s owner · <code>removeStaff</code></div>
<p>Codes that they issued here and that are open are destroyed.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>account</code></td><td>path, required</td><td><a href="#schema-AccountID">AccountID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>They no longer work there.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="listOffers"><h3>A shop&#x27;s open offers</h3>
<div class=path><span class=method>GET</span> /v1/shops/{id}/invitations</div>
<div class=who>Who: the shop&#x27;s owner · <code>listOffers</code></div>
<p>All of them, those that lapse last first. Whom they are for is not said.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The offers. <span class=dim>application/json</span> <a href="#schema-OfferPage">OfferPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="invitePhone"><h3>Offer whoever has a phone number to work here</h3>
<div class=path><span class=method>POST</span> /v1/shops/{id}/invitations</div>
<div class=who>Who: the shop&#x27;s owner · <code>invitePhone</code></div>
<p>As for an account. The answer is the same whether or not the number is known; an offer to an unknown one reaches nobody, also not whoever registers it later.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-VerificationRequest">VerificationRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>phone</code></td><td><a href="#schema-Phone">Phone</a> <strong>required</strong></td><td>E.164.</td></tr>
</tbody></table>
<pre><code>{
  &quot;phone&quot;: &quot;+8613800138000&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>202</strong></td><td>Offered, or so already. <span class=dim>application/json</span> <a href="#schema-Offered">Offered</a><br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="withdrawOffer"><h3>Withdraw an open offer</h3>
<div class=path><span class=method>DELETE</span> /v1/shops/{id}/invitations/{invitation}</div>
<div class=who>Who: the shop&#x27;s owner · <code>withdrawOffer</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>invitation</code></td><td>path, required</td><td><a href="#schema-InvitationID">InvitationID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Withdrawn.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>offerNotOpen</code>: The offer was answered or withdrawn, or has lapsed.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="publishCampaign"><h3>Publish a campaign</h3>
<div class=path><span class=method>POST</span> /v1/shops/{id}/campaigns</div>
<div class=who>Who: the shop&#x27;s owner · <code>publishCampaign</code></div>
<p>At most 100 campaigns of a shop may run or be about to, and it can have 1,000 in all; one more is refused as invalid, naming no field.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-CampaignRequest">CampaignRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>kind</code></td><td><a href="#schema-CampaignKind">CampaignKind</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>title</code></td><td>string <span class=dim>(1–100 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>details</code></td><td>string <span class=dim>(≤ 2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>goal</code></td><td>integer or null <span class=dim>(1–50)</span></td><td></td></tr>
<tr><td><code>reward</code></td><td>string or null <span class=dim>(≤ 100 characters, line)</span></td><td></td></tr>
<tr><td><code>startsAt</code></td><td>string <span class=dim>(date-time)</span> <strong>required</strong></td><td>At most five years ahead.</td></tr>
<tr><td><code>endsAt</code></td><td>string <span class=dim>(date-time)</span> <strong>required</strong></td><td>After the start, at most a century; not in the past.</td></tr>
<tr><td><code>image</code></td><td><a href="#schema-ImageID">ImageID</a> or null</td><td></td></tr>
<tr><td><code>stampsPerDayMax</code></td><td>integer or null <span class=dim>(1–50)</span></td><td>Stamps that an account may gain in 24 hours on all its cards.</td></tr>
<tr><td><code>minimumGapSeconds</code></td><td>integer or null <span class=dim>(1–86400)</span></td><td>Seconds between two codes of one account.</td></tr>
</tbody></table>
<pre><code>{
  &quot;kind&quot;: &quot;stampCard&quot;,
  &quot;title&quot;: &quot;Ten cups, the eleventh is free&quot;,
  &quot;details&quot;: &quot;Any drink counts.&quot;,
  &quot;goal&quot;: 10,
  &quot;reward&quot;: &quot;One free drink&quot;,
  &quot;startsAt&quot;: &quot;2026-11-01T00:00:00Z&quot;,
  &quot;endsAt&quot;: &quot;2027-11-01T00:00:00Z&quot;
}</code></pre>
<pre><code>{
  &quot;kind&quot;: &quot;promotion&quot;,
  &quot;title&quot;: &quot;Second cup at half price&quot;,
  &quot;details&quot;: &quot;On weekdays before noon.&quot;,
  &quot;startsAt&quot;: &quot;2026-11-01T00:00:00Z&quot;,
  &quot;endsAt&quot;: &quot;2026-12-01T00:00:00Z&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Published. <span class=dim>application/json</span> <a href="#schema-CampaignDetails">CampaignDetails</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="endCampaign"><h3>End a campaign now</h3>
<div class=path><span class=method>POST</span> /v1/campaigns/{id}/end</div>
<div class=who>Who: the shop&#x27;s owner · <code>endCampaign</code></div>
<p>Full cards can still be redeemed. Ending it again changes nothing.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The campaign, over. <span class=dim>application/json</span> <a href="#schema-CampaignDetails">CampaignDetails</a><br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>campaignNotRunning</code>: The campaign has not begun or is over.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="issueCode"><h3>Issue a stamp code</h3>
<div class=path><span class=method>POST</span> /v1/campaigns/{id}/codes</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>issueCode</code></div>
<p>To be shown to a customer who has paid. It works once. The body may be left out.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json, may be left out</span> <a href="#schema-CodeRequest">CodeRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>stamps</code></td><td>integer or null <span class=dim>(1–10)</span></td><td>What the code is worth; 1 where it is absent.</td></tr>
<tr><td><code>validFor</code></td><td>integer or null <span class=dim>(1–86400)</span></td><td>Seconds; 600 where it is absent.</td></tr>
</tbody></table>
<pre><code>{
  &quot;stamps&quot;: 3,
  &quot;validFor&quot;: 600
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>The code. <span class=dim>application/json</span> <a href="#schema-StampCode">StampCode</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code>, <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>campaignNotRunning</code>: The campaign has not begun or is over.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="getCode"><h3>What became of a stamp code</h3>
<div class=path><span class=method>GET</span> /v1/codes/{id}</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>getCode</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CodeID">CodeID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The code&#x27;s state; the code itself was shown once. <span class=dim>application/json</span> <a href="#schema-CodeState">CodeState</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="destroyCode"><h3>Destroy an open stamp code</h3>
<div class=path><span class=method>DELETE</span> /v1/codes/{id}</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>destroyCode</code></div>
<p>It stays readable, as destroyed. Destroying it again changes nothing.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CodeID">CodeID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Destroyed.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>codeNotOpen</code>: The code was used or has expired.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="previewRedemption"><h3>Look at a redemption code</h3>
<div class=path><span class=method>POST</span> /v1/redemptions/preview</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>previewRedemption</code></div>
<p>Shows the reward and the card without redeeming it. Anything wrong with it, another shop&#x27;s included, is answered alike.</p>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-RedemptionRequest">RedemptionRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>code</code></td><td>string <strong>required</strong></td><td>As it was typed or scanned; see StampRequest.</td></tr>
</tbody></table>
<pre><code>{
  &quot;code&quot;: &quot;3D8N-WQ5T&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>What the code is good for. <span class=dim>application/json</span> <a href="#schema-Preview">Preview</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>redemptionNotValid</code>: Unknown, used, expired, replaced, or of another shop.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="redeem"><h3>Redeem</h3>
<div class=path><span class=method>POST</span> /v1/redemptions</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>redeem</code></div>
<p>Hands out the reward. Works once, for the newest code of a full card of this shop.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header, required</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-RedemptionRequest">RedemptionRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>code</code></td><td>string <strong>required</strong></td><td>As it was typed or scanned; see StampRequest.</td></tr>
</tbody></table>
<pre><code>{
  &quot;code&quot;: &quot;3D8N-WQ5T&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Redeemed. <span class=dim>application/json</span> <a href="#schema-Redeemed">Redeemed</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what. · <code>idempotencyKeyRequired</code>: This request needs an Idempotency-Key.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>ownCampaign</code>: Nobody collects or redeems at a shop that they own or work for. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>redemptionNotValid</code>: Unknown, used, expired, replaced, or of another shop. · <code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="reverseRedemption"><h3>Take a redemption back</h3>
<div class=path><span class=method>POST</span> /v1/redemptions/{id}/reversal</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>reverseRedemption</code></div>
<p>Within 24 hours, once; the card is full again, also where its holder threw it away since.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-RedemptionID">RedemptionID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-ReasonRequest">ReasonRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>reason</code></td><td>string <span class=dim>(1–500 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;reason&quot;: &quot;The wrong card was shown.&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>Taken back. <span class=dim>application/json</span> <a href="#schema-Redeemed">Redeemed</a><br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>ownCampaign</code>: Nobody collects or redeems at a shop that they own or work for. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>409</strong></td><td><code>notReversible</code>: The redemption is too old to be taken back, or was already.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="getStatistics"><h3>A shop&#x27;s figures by day</h3>
<div class=path><span class=method>GET</span> /v1/shops/{id}/statistics</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>getStatistics</code></div>
<p>Both ends are included; at most 367 days, 30 where one end or both are absent.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>from</code></td><td>query</td><td>string <span class=dim>(date)</span></td><td>The first day.</td></tr>
<tr><td><code>to</code></td><td>query</td><td>string <span class=dim>(date)</span></td><td>The last day.</td></tr>
<tr><td><code>timeZone</code></td><td>query</td><td>string</td><td>Whose days are meant, by its IANA name; Asia/Shanghai where it is absent.</td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The figures. <span class=dim>application/json</span> <a href="#schema-Statistics">Statistics</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="getAnalytics"><h3>Who comes back, and which cards are left</h3>
<div class=path><span class=method>GET</span> /v1/shops/{id}/analytics</div>
<div class=who>Who: the shop&#x27;s owner or staff · <code>getAnalytics</code></div>
<p>Weekly cohort retention, repeat-visit rate, time to fill a card, the share of cards left at each count of stamps, and a campaign&#x27;s weeks beside those before it. A visit is a quarter of an hour in which a customer&#x27;s cards were stamped; weeks of cohorts begin on Monday. Both ends of the period are included; at most 738 days, 182 where one end or both are absent. A report reads every card of the shop, each customer&#x27;s first visit and the visits of the period, together at most 1,000,000 rows; beyond that it is refused with <code>invalidRequest</code> on <code>from</code>.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>from</code></td><td>query</td><td>string <span class=dim>(date)</span></td><td>The first day.</td></tr>
<tr><td><code>to</code></td><td>query</td><td>string <span class=dim>(date)</span></td><td>The last day.</td></tr>
<tr><td><code>timeZone</code></td><td>query</td><td>string</td><td>Whose days are meant, by its IANA name; Asia/Shanghai where it is absent.</td></tr>
<tr><td><code>idleDays</code></td><td>query</td><td>integer <span class=dim>(1–738)</span></td><td>Days without a stamp after which a card that is not full counts as left.</td></tr>
<tr><td><code>campaign</code></td><td>query</td><td><a href="#schema-CampaignID">CampaignID</a></td><td>A campaign of the shop, running or over, whose weeks are asked for; without it there is no effect.</td></tr>
<tr><td><code>weeks</code></td><td>query</td><td>integer <span class=dim>(1–26)</span></td><td>Weeks before the campaign and after it.</td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The figures. <span class=dim>application/json</span> <a href="#schema-Analytics">Analytics</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<h2 id="tag-reviews">Reviews</h2><p>Ratings and threads.</p>
<section class=operation id="listReviews"><h3>A shop&#x27;s reviews, newest first, each with its thread</h3>
<div class=path><span class=method>GET</span> /v1/shops/{id}/reviews</div>
<div class=who>Who: anyone · <code>listReviews</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page of reviews. <span class=dim>application/json</span> <a href="#schema-ReviewPage">ReviewPage</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="postReview"><h3>Review a shop</h3>
<div class=path><span class=method>POST</span> /v1/shops/{id}/reviews</div>
<div class=who>Who: signed in · <code>postReview</code></div>
<p>A rating, a text, or both. A rating replaces my earlier one for this shop. Thirty in ten minutes.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-ReviewRequest">ReviewRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>rating</code></td><td>integer or null <span class=dim>(1–5)</span></td><td></td></tr>
<tr><td><code>text</code></td><td>string or null <span class=dim>(1–2000 characters, lines)</span></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;rating&quot;: 5,
  &quot;text&quot;: &quot;很好喝！&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Said. <span class=dim>application/json</span> <a href="#schema-Review">Review</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>ownShop</code>: Nobody reviews a shop that they own or work for.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="postReply"><h3>Reply to a review or a reply</h3>
<div class=path><span class=method>POST</span> /v1/reviews/{id}/replies</div>
<div class=who>Who: signed in · <code>postReply</code></div>
<p>Threads are at most eight deep.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ReviewID">ReviewID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-TextRequest">TextRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>text</code></td><td>string <span class=dim>(1–2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;text&quot;: &quot;谢谢！下次再来。&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Said. <span class=dim>application/json</span> <a href="#schema-Review">Review</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="removeReview"><h3>Remove a review or a reply</h3>
<div class=path><span class=method>DELETE</span> /v1/reviews/{id}</div>
<div class=who>Who: signed in · <code>removeReview</code></div>
<p>Its author or an operator does. Answers to it stay; its text and its rating go.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ReviewID">ReviewID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Removed.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<h2 id="tag-images">Images</h2><p>Pictures of shops and campaigns.</p>
<section class=operation id="uploadImage"><h3>Upload a picture</h3>
<div class=path><span class=method>POST</span> /v1/images</div>
<div class=who>Who: signed in · <code>uploadImage</code></div>
<p>JPEG, PNG or WebP by its content, at most 8 MiB. It is encoded anew without its metadata. It belongs to the account that sends it: nobody else may show it, or take it down. The same picture of the same account has the same id, so this id says nothing of when. What nothing shows goes after a day. A picture that an operator took down is refused. Of one account two are received at once; each must be there within ten minutes and keep a rate of 4 kB a second.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>image/jpeg</span> any</p>
<p><strong>Body</strong> <span class=dim>image/png</span> any</p>
<p><strong>Body</strong> <span class=dim>image/webp</span> any</p>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Stored. <span class=dim>application/json</span> <a href="#schema-Image">Image</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="getImage"><h3>A picture</h3>
<div class=path><span class=method>GET</span> /v1/images/{id}</div>
<div class=who>Who: anyone · <code>getImage</code></div>
<p>It never changes; it may be taken down, and goes with the account that shows it. What a shop or a campaign shows may be kept for a day by anybody, so that one that was taken down may be seen that long; any other picture, such as one of a person, for five minutes by its viewer&#x27;s own cache.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ImageID">ImageID</a></td><td></td></tr>
<tr><td><code>width</code></td><td>query</td><td>integer <span class=dim>(1–9223372036854775807, int64)</span></td><td>The smallest thumbnail that is so many pixels wide; the picture itself where none is.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The picture. <span class=dim>image/jpeg</span> string <span class=dim>image/png</span> string <span class=dim>image/webp</span> string<br><span class=dim>with <code>Cache-Control</code>, <code>ETag</code></span></td></tr>
<tr><td><strong>304</strong></td><td>It is the one that <code>If-None-Match</code> names.</td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="takeDownImage"><h3>Take a picture down</h3>
<div class=path><span class=method>DELETE</span> /v1/images/{id}</div>
<div class=who>Who: the shop&#x27;s owner or an operator · <code>takeDownImage</code></div>
<p>An operator does, or the account that sent it, whatever shows it. The picture and its thumbnails are removed, and its address answers 404. What names it still does, until its owner edits that; an edit cannot name it again, but the same picture may be sent again, unless an operator took it down: that concerns every copy of the same bytes. A picture that was sent before pictures had senders is taken down by the account that alone shows it.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ImageID">ImageID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Taken down.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<h2 id="tag-live">Live</h2><p>Server-Sent Events.</p>
<section class=operation id="followEvents"><h3>What happens to me, as it happens</h3>
<div class=path><span class=method>GET</span> /v1/me/events</div>
<div class=who>Who: signed in · <code>followEvents</code></div>
<p>Server-Sent Events: my cards, redemptions and notices; for merchants the codes and redemptions of their shop. The id of each is its position; <code>Last-Event-ID</code> goes on behind it without a gap. A comment now and then keeps the connection alive.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Last-Event-ID</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>The position behind which to go on.</td></tr>
<tr><td><code>lastEventId</code></td><td>query</td><td>string</td><td>The same, for clients that cannot set the header; where both are given, the header counts.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A stream that does not end. <span class=dim>text/event-stream</span> <a href="#schema-LiveEvent">LiveEvent</a></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment.</td></tr>
</tbody></table>
</section>
<h2 id="tag-proof">Proof</h2><p>The log as a transparency log: C2SP tlog-tiles, checkpoints and receipts.</p>
<section class=operation id="getReceipt"><h3>The proof of one of my stamps</h3>
<div class=path><span class=method>GET</span> /v1/stamps/{position}/receipt</div>
<div class=who>Who: signed in · <code>getReceipt</code></div>
<p>A C2SP tlog-proof. Whoever has it and the log&#x27;s public key can check it without this service.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>position</code></td><td>path, required</td><td>integer <span class=dim>(≥ 1)</span></td><td>A stamp&#x27;s position in the log.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The proof. <span class=dim>text/plain; charset=utf-8</span> string<br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="getCheckpoint"><h3>The log&#x27;s newest signed checkpoint</h3>
<div class=path><span class=method>GET</span> /checkpoint</div>
<div class=who>Who: anyone · <code>getCheckpoint</code></div>

<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A C2SP tlog-checkpoint. <span class=dim>text/plain; charset=utf-8</span> string<br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="getTile"><h3>A tile of the log&#x27;s tree</h3>
<div class=path><span class=method>GET</span> /tile/{path}</div>
<div class=who>Who: anyone · <code>getTile</code></div>
<p>C2SP tlog-tiles: <code>/tile/0/000</code>, <code>/tile/1/x001/234.p/5</code> and so on; the path has several segments. Tiles of hashes are for anyone. Tiles of entries, <code>/tile/entries/…</code>, show events and are for operators.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>path</code></td><td>path, required</td><td>string</td><td>Level, index and width; slashes are not escaped.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>Hashes of 32 bytes each, or entries with their lengths. <span class=dim>application/octet-stream</span> string<br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<h2 id="tag-operate">Operate</h2><p>For those who run the service.</p>
<section class=operation id="postNotice"><h3>Send a notice</h3>
<div class=path><span class=method>POST</span> /v1/notices</div>
<div class=who>Who: an operator or the shop&#x27;s owner · <code>postNotice</code></div>
<p>An operator to all, a shop&#x27;s owner to those who hold cards there (<code>audience</code> <code>shop</code>). Ten in ten minutes.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-NoticeRequest">NoticeRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>title</code></td><td>string <span class=dim>(1–100 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>text</code></td><td>string <span class=dim>(1–2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>audience</code></td><td><code>all</code> | <code>shop</code> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;title&quot;: &quot;Closed on Monday&quot;,
  &quot;text&quot;: &quot;We repaint the shop and are back on Tuesday.&quot;,
  &quot;audience&quot;: &quot;shop&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Sent. <span class=dim>application/json</span> <a href="#schema-Notice">Notice</a><br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may. · <code>suspended</code>: The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="adjustCard"><h3>Correct a card</h3>
<div class=path><span class=method>POST</span> /v1/admin/cards/{id}/adjustments</div>
<div class=who>Who: an operator · <code>adjustCard</code></div>
<p>Adds or takes stamps by a compensating event. A card never has less than none or more than its goal. Each request is a correction of its own: one that is sent twice, because its answer was lost, counts twice. So send an <code>Idempotency-Key</code>, or, as <code>If-Match</code>, the version of the card that you saw: the position of its newest event in quotes, which <code>GET /v1/admin/events?tag=card:…</code> shows and the answer here carries as <code>ETag</code>; then the second one is answered 412. The reason stands in the card&#x27;s history, for its holder to read.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CardID">CardID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
<tr><td><code>If-Match</code></td><td>header</td><td>string <span class=dim>(<code>^(\*|&quot;[0-9]{1,20}&quot;)$</code>)</span></td><td>The <code>ETag</code> that was read, or <code>*</code>.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-AdjustmentRequest">AdjustmentRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>stamps</code></td><td>integer <span class=dim>(-50–50)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>reason</code></td><td>string <span class=dim>(1–500 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;stamps&quot;: -1,
  &quot;reason&quot;: &quot;Stamped twice for one cup.&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>201</strong></td><td>Corrected. <span class=dim>application/json</span> <a href="#schema-Adjusted">Adjusted</a><br><span class=dim>with <code>GreenTea-Position</code>, <code>Location</code>, <code>ETag</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>412</strong></td><td><code>versionConflict</code>: It was changed since it was read.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="suspendShop"><h3>Suspend a shop</h3>
<div class=path><span class=method>POST</span> /v1/admin/shops/{id}/suspension</div>
<div class=who>Who: an operator · <code>suspendShop</code></div>
<p>Until it is reinstated full cards are redeemed there, and nothing else happens.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json</span> <a href="#schema-ReasonRequest">ReasonRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>reason</code></td><td>string <span class=dim>(1–500 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;reason&quot;: &quot;The wrong card was shown.&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Suspended.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="reinstateShop"><h3>Reinstate a shop</h3>
<div class=path><span class=method>DELETE</span> /v1/admin/shops/{id}/suspension</div>
<div class=who>Who: an operator · <code>reinstateShop</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-ShopID">ShopID</a></td><td></td></tr>
<tr><td><code>Idempotency-Key</code></td><td>header</td><td>string <span class=dim>(<code>^[!-~]{1,255}$</code>)</span></td><td>Your own name for this request; the same again is answered the same again.</td></tr>
</tbody></table>
<p><strong>Body</strong> <span class=dim>application/json, may be left out</span> <a href="#schema-ReinstatementRequest">ReinstatementRequest</a></p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>reason</code></td><td>string or null <span class=dim>(≤ 500 characters, lines)</span></td><td></td></tr>
</tbody></table>
<pre><code>{
  &quot;reason&quot;: &quot;It was a misunderstanding.&quot;
}</code></pre>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>204</strong></td><td>Reinstated.<br><span class=dim>with <code>GreenTea-Position</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>404</strong></td><td><code>notFound</code>: There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><strong>413</strong></td><td><code>tooLarge</code>: The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><strong>415</strong></td><td><code>unsupportedMediaType</code>: The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><strong>422</strong></td><td><code>idempotencyKeyReused</code>: The key was used for another request.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>overloaded</code>: Too busy; try again in a moment. · <code>stopping</code>: The service is going down or up.</td></tr>
</tbody></table>
</section>
<section class=operation id="listFeedback"><h3>What people told the operator</h3>
<div class=path><span class=method>GET</span> /v1/admin/feedback</div>
<div class=who>Who: an operator · <code>listFeedback</code></div>
<p>Newest first. Of whoever was erased since, the text is null.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>Some feedback. <span class=dim>application/json</span> <a href="#schema-FeedbackPage">FeedbackPage</a><br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="listEvents"><h3>The log</h3>
<div class=path><span class=method>GET</span> /v1/admin/events</div>
<div class=who>Who: an operator · <code>listEvents</code></div>
<p>Events in the order of their positions, sealed fields sealed.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>after</code></td><td>query</td><td>integer <span class=dim>(0–18446744073709551615)</span></td><td>The position behind which to begin.</td></tr>
<tr><td><code>tag</code></td><td>query</td><td>string</td><td>Only events with this tag, a kind and an id.</td></tr>
<tr><td><code>type</code></td><td>query</td><td>string</td><td>Only events of this type.</td></tr>
<tr><td><code>GreenTea-Min-Position</code></td><td>header</td><td>string <span class=dim>(<code>^[0-9]{1,19}$</code>)</span></td><td>Answer from no earlier position; refused with <code>notCaughtUp</code> after two seconds.</td></tr>
<tr><td><code>limit</code></td><td>query</td><td>integer <span class=dim>(1–100)</span></td><td>Items of the page; 20 where it is absent.</td></tr>
<tr><td><code>cursor</code></td><td>query</td><td>string <span class=dim>(34–400 characters, <code>^[A-Za-z0-9_-]+$</code>)</span></td><td>The <code>next</code> of the page before.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>Some events. <span class=dim>application/json</span> <a href="#schema-EventPage">EventPage</a><br><span class=dim>with <code>Cache-Control</code></span></td></tr>
<tr><td><strong>400</strong></td><td><code>invalidRequest</code>: Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><strong>401</strong></td><td><code>unauthenticated</code>: Not signed in, or no longer. · <code>tokenExpired</code>: The access token has expired; refresh it.</td></tr>
<tr><td><strong>403</strong></td><td><code>forbidden</code>: Signed in, but not the one who may.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td><code>notCaughtUp</code>: The position that was asked for has not been reached.</td></tr>
</tbody></table>
</section>
<section class=operation id="getHealth"><h3>Whether the process is alive</h3>
<div class=path><span class=method>GET</span> /healthz</div>
<div class=who>Who: anyone · <code>getHealth</code></div>

<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>It is. <span class=dim>application/json</span> object</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="getReadiness"><h3>Whether requests should come here</h3>
<div class=path><span class=method>GET</span> /readyz</div>
<div class=who>Who: anyone · <code>getReadiness</code></div>
<p>Not where it cannot write, or where a read model has stalled, is far behind, or was found to differ from the log.</p>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>They should. <span class=dim>application/json</span> <a href="#schema-Readiness">Readiness</a></td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
<tr><td><strong>503</strong></td><td>They should not. <span class=dim>application/json</span> <a href="#schema-Readiness">Readiness</a></td></tr>
</tbody></table>
</section>
<section class=operation id="getMetrics"><h3>Figures in Prometheus&#x27; text format</h3>
<div class=path><span class=method>GET</span> /metrics</div>
<div class=who>Who: anyone · <code>getMetrics</code></div>

<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The figures. <span class=dim>text/plain; version=0.0.4; charset=utf-8</span> string</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<h2 id="tag-pages">Pages</h2><p>What shared links and scanned codes open in a browser.</p>
<section class=operation id="showCampaign"><h3>A campaign, shared</h3>
<div class=path><span class=method>GET</span> /c/{id}</div>
<div class=who>Who: anyone · <code>showCampaign</code></div>
<p>A small page with Open Graph tags, in the reader&#x27;s language.</p>
<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td><a href="#schema-CampaignID">CampaignID</a></td><td></td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The page. <span class=dim>text/html; charset=utf-8</span> string</td></tr>
<tr><td><strong>404</strong></td><td>A page that says so.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="showShop"><h3>A shop, shared, or a stamp code, scanned</h3>
<div class=path><span class=method>GET</span> /s/{id}</div>
<div class=who>Who: anyone · <code>showShop</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td>string <span class=dim>(≥ 1 characters)</span></td><td>A shop&#x27;s id or a stamp code.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The page. <span class=dim>text/html; charset=utf-8</span> string</td></tr>
<tr><td><strong>404</strong></td><td>A page that says so.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="showRedemptionCode"><h3>A redemption code, scanned</h3>
<div class=path><span class=method>GET</span> /r/{id}</div>
<div class=who>Who: anyone · <code>showRedemptionCode</code></div>

<table><thead><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>path, required</td><td>string <span class=dim>(≥ 1 characters)</span></td><td>A redemption code.</td></tr>
</tbody></table>
<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>The page. <span class=dim>text/html; charset=utf-8</span> string</td></tr>
<tr><td><strong>404</strong></td><td>A page that says so.</td></tr>
<tr><td><strong>429</strong></td><td><code>rateLimited</code>: Too many attempts; see Retry-After.</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<h2 id="tag-description">Description</h2><p>This page and its sources.</p>
<section class=operation id="getDescription"><h3>This description</h3>
<div class=path><span class=method>GET</span> /openapi.yaml</div>
<div class=who>Who: anyone · <code>getDescription</code></div>

<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>OpenAPI 3.1 in YAML. <span class=dim>application/yaml</span> object</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="getDescriptionAsJSON"><h3>This description as JSON</h3>
<div class=path><span class=method>GET</span> /openapi.json</div>
<div class=who>Who: anyone · <code>getDescriptionAsJSON</code></div>

<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>OpenAPI 3.1 in JSON. <span class=dim>application/json</span> object</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<section class=operation id="getDocs"><h3>This description as a page</h3>
<div class=path><span class=method>GET</span> /docs</div>
<div class=who>Who: anyone · <code>getDocs</code></div>

<table><thead><tr><th>status</th><th></th></tr></thead><tbody>
<tr><td><strong>200</strong></td><td>A page that needs no script. <span class=dim>text/html; charset=utf-8</span> string</td></tr>
<tr><td><strong>500</strong></td><td><code>internal</code>: The service failed and has noted it.</td></tr>
</tbody></table>
</section>
<h2 id=schemas>Schemas</h2>
<section class=operation id="schema-AccountID"><h3>AccountID</h3>
<p>string <span class=dim>(<code>^acct_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>acct_01kahqz8zefx9r4gk0v2d3w5ye</code></pre></details>
</section>
<section class=operation id="schema-ShopID"><h3>ShopID</h3>
<p>string <span class=dim>(<code>^shop_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>shop_01kahr0b3nf7ttd9c1s8j6x2qa</code></pre></details>
</section>
<section class=operation id="schema-CampaignID"><h3>CampaignID</h3>
<p>string <span class=dim>(<code>^camp_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>camp_01kahr1h5yfcrs2v7e4m9z0k3g</code></pre></details>
</section>
<section class=operation id="schema-CodeID"><h3>CodeID</h3>
<p>string <span class=dim>(<code>^code_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>code_01kahr2m8wf3xa6b0t5y1q7n9j</code></pre></details>
</section>
<section class=operation id="schema-CardID"><h3>CardID</h3>
<p>string <span class=dim>(<code>^card_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>card_01kahr3t1rfhmv4k8d2x6c0w5z</code></pre></details>
</section>
<section class=operation id="schema-RedemptionID"><h3>RedemptionID</h3>
<p>string <span class=dim>(<code>^rdm_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>rdm_01kahr4y7kfn9e1g5j3s8v2b6m</code></pre></details>
</section>
<section class=operation id="schema-InvitationID"><h3>InvitationID</h3>
<p>string <span class=dim>(<code>^inv_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>inv_01kahr5d2xf8w6t0q4n7z9a1ch</code></pre></details>
</section>
<section class=operation id="schema-ReviewID"><h3>ReviewID</h3>
<p>string <span class=dim>(<code>^rev_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>rev_01kahr5d2xf8w6t0q4n7z9a1ch</code></pre></details>
</section>
<section class=operation id="schema-SessionID"><h3>SessionID</h3>
<p>string <span class=dim>(<code>^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>ses_01kahr6c3wf2d9t5h8n4q7z1va</code></pre></details>
</section>
<section class=operation id="schema-NoticeID"><h3>NoticeID</h3>
<p>string <span class=dim>(<code>^ntc_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>ntc_01kahr6p9vf5b3y7m1k8e2d4xr</code></pre></details>
</section>
<section class=operation id="schema-ImageID"><h3>ImageID</h3>
<p>string <span class=dim>(<code>^img_[0-7][0-9a-hjkmnp-tv-z]{25}$</code>)</span></p>
<details><summary>Example</summary><pre><code>img_01kahr7a4sfqj8c2w6t5g0v9ne</code></pre></details>
</section>
<section class=operation id="schema-Coordinate"><h3>Coordinate</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>latitude</code></td><td>number <span class=dim>(-90–90)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>longitude</code></td><td>number <span class=dim>(-180–180)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;latitude&quot;: 31.2304,
  &quot;longitude&quot;: 121.4737
}</code></pre></details>
</section>
<section class=operation id="schema-Time"><h3>Time</h3>
<p>RFC 3339 in UTC with milliseconds.</p>
<p>string <span class=dim>(date-time)</span></p>
<details><summary>Example</summary><pre><code>2026-11-21T18:00:00.000Z</code></pre></details>
</section>
<section class=operation id="schema-Phone"><h3>Phone</h3>
<p>E.164.</p>
<p>string <span class=dim>(<code>^\+[1-9][0-9]{7,14}$</code>)</span></p>
<details><summary>Example</summary><pre><code>+8613800138000</code></pre></details>
</section>
<section class=operation id="schema-ShopPhone"><h3>ShopPhone</h3>
<p>As it is printed.</p>
<p>string <span class=dim>(3–32 characters, <code>^[-+ ()]*[0-9][-+ ()0-9]*$</code>)</span></p>
<details><summary>Example</summary><pre><code>010-1234 5678</code></pre></details>
</section>
<section class=operation id="schema-CampaignKind"><h3>CampaignKind</h3>
<p><code>stampCard</code> | <code>promotion</code></p>
</section>
<section class=operation id="schema-CardStatus"><h3>CardStatus</h3>
<p><code>collecting</code> | <code>full</code> | <code>redeemed</code> | <code>discarded</code></p>
</section>
<section class=operation id="schema-Next"><h3>Next</h3>
<p>The cursor of the next page; null on the last.</p>
<p>string or null</p>
</section>
<section class=operation id="schema-VerificationRequest"><h3>VerificationRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>phone</code></td><td><a href="#schema-Phone">Phone</a> <strong>required</strong></td><td>E.164.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-SessionRequest"><h3>SessionRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>phone</code></td><td><a href="#schema-Phone">Phone</a> <strong>required</strong></td><td>E.164.</td></tr>
<tr><td><code>code</code></td><td>string</td><td>The six digits.</td></tr>
<tr><td><code>password</code></td><td>string</td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-RefreshRequest"><h3>RefreshRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>refreshToken</code></td><td>string <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ProfileRequest"><h3>ProfileRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>nickname</code></td><td>string or null <span class=dim>(1–50 characters, line)</span></td><td></td></tr>
<tr><td><code>avatar</code></td><td><a href="#schema-ImageID">ImageID</a> or null</td><td></td></tr>
<tr><td><code>gender</code></td><td><code>female</code> | <code>male</code> | <code>other</code> | <code>null</code></td><td></td></tr>
<tr><td><code>birthday</code></td><td>string or null <span class=dim>(date)</span></td><td>Since 1900.</td></tr>
<tr><td><code>city</code></td><td>string or null <span class=dim>(1–100 characters, line)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-MySessions"><h3>MySessions</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-MySession">MySession</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td>null <strong>required</strong></td><td>There is one page.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-MySession"><h3>MySession</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-SessionID">SessionID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>startedAt</code></td><td>string <span class=dim>(date-time)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>lastSeenAt</code></td><td>string <span class=dim>(date-time)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>device</code></td><td>string or null <span class=dim>(≤ 200 characters)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>isCurrent</code></td><td>boolean <strong>required</strong></td><td>Whether it is the one that asks.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-PasswordRequest"><h3>PasswordRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>current</code></td><td>string</td><td>The password that there is; not needed with a code.</td></tr>
<tr><td><code>code</code></td><td>string</td><td>Six digits that were sent to the account&#x27;s own number; needed for the first password.</td></tr>
<tr><td><code>new</code></td><td>string <span class=dim>(8–128 characters, line)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-TextRequest"><h3>TextRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>text</code></td><td>string <span class=dim>(1–2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ReasonRequest"><h3>ReasonRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>reason</code></td><td>string <span class=dim>(1–500 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ReinstatementRequest"><h3>ReinstatementRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>reason</code></td><td>string or null <span class=dim>(≤ 500 characters, lines)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ShopRequest"><h3>ShopRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>name</code></td><td>string <span class=dim>(1–100 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>phone</code></td><td><a href="#schema-ShopPhone">ShopPhone</a> <strong>required</strong></td><td>As it is printed.</td></tr>
<tr><td><code>address</code></td><td>string <span class=dim>(1–200 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>location</code></td><td><a href="#schema-Coordinate">Coordinate</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>images</code></td><td>array of <a href="#schema-ImageID">ImageID</a> or null <span class=dim>(≤ 9 items)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ShopEdit"><h3>ShopEdit</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>name</code></td><td>string <span class=dim>(1–100 characters, line)</span></td><td></td></tr>
<tr><td><code>phone</code></td><td><a href="#schema-ShopPhone">ShopPhone</a></td><td>As it is printed.</td></tr>
<tr><td><code>address</code></td><td>string <span class=dim>(1–200 characters, line)</span></td><td></td></tr>
<tr><td><code>location</code></td><td><a href="#schema-Coordinate">Coordinate</a></td><td></td></tr>
<tr><td><code>images</code></td><td>array of <a href="#schema-ImageID">ImageID</a> <span class=dim>(≤ 9 items)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CampaignRequest"><h3>CampaignRequest</h3>
<p>A stamp card must have a goal and a reward; a promotion has no goal.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>kind</code></td><td><a href="#schema-CampaignKind">CampaignKind</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>title</code></td><td>string <span class=dim>(1–100 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>details</code></td><td>string <span class=dim>(≤ 2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>goal</code></td><td>integer or null <span class=dim>(1–50)</span></td><td></td></tr>
<tr><td><code>reward</code></td><td>string or null <span class=dim>(≤ 100 characters, line)</span></td><td></td></tr>
<tr><td><code>startsAt</code></td><td>string <span class=dim>(date-time)</span> <strong>required</strong></td><td>At most five years ahead.</td></tr>
<tr><td><code>endsAt</code></td><td>string <span class=dim>(date-time)</span> <strong>required</strong></td><td>After the start, at most a century; not in the past.</td></tr>
<tr><td><code>image</code></td><td><a href="#schema-ImageID">ImageID</a> or null</td><td></td></tr>
<tr><td><code>stampsPerDayMax</code></td><td>integer or null <span class=dim>(1–50)</span></td><td>Stamps that an account may gain in 24 hours on all its cards.</td></tr>
<tr><td><code>minimumGapSeconds</code></td><td>integer or null <span class=dim>(1–86400)</span></td><td>Seconds between two codes of one account.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CampaignEdit"><h3>CampaignEdit</h3>
<p>What is absent stays as it is; null takes an image, a cap, or a promotion&#x27;s reward away.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>title</code></td><td>string <span class=dim>(1–100 characters, line)</span></td><td></td></tr>
<tr><td><code>details</code></td><td>string <span class=dim>(≤ 2000 characters, lines)</span></td><td></td></tr>
<tr><td><code>goal</code></td><td>integer <span class=dim>(1–50)</span></td><td></td></tr>
<tr><td><code>reward</code></td><td>string or null <span class=dim>(≤ 100 characters, line)</span></td><td></td></tr>
<tr><td><code>startsAt</code></td><td>string <span class=dim>(date-time)</span></td><td></td></tr>
<tr><td><code>endsAt</code></td><td>string <span class=dim>(date-time)</span></td><td></td></tr>
<tr><td><code>image</code></td><td><a href="#schema-ImageID">ImageID</a> or null</td><td></td></tr>
<tr><td><code>stampsPerDayMax</code></td><td>integer or null <span class=dim>(1–50)</span></td><td></td></tr>
<tr><td><code>minimumGapSeconds</code></td><td>integer or null <span class=dim>(1–86400)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CodeRequest"><h3>CodeRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>stamps</code></td><td>integer or null <span class=dim>(1–10)</span></td><td>What the code is worth; 1 where it is absent.</td></tr>
<tr><td><code>validFor</code></td><td>integer or null <span class=dim>(1–86400)</span></td><td>Seconds; 600 where it is absent.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-StampRequest"><h3>StampRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>code</code></td><td>string <strong>required</strong></td><td>As it was typed or scanned: hyphens, blanks, case and full width do not matter, I and L are 1, O is 0.</td></tr>
<tr><td><code>campaign</code></td><td><a href="#schema-CampaignID">CampaignID</a> or null</td><td>Where given, the code must be of this campaign.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-RedemptionRequest"><h3>RedemptionRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>code</code></td><td>string <strong>required</strong></td><td>As it was typed or scanned; see StampRequest.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ReviewRequest"><h3>ReviewRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>rating</code></td><td>integer or null <span class=dim>(1–5)</span></td><td></td></tr>
<tr><td><code>text</code></td><td>string or null <span class=dim>(1–2000 characters, lines)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-NoticeRequest"><h3>NoticeRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>title</code></td><td>string <span class=dim>(1–100 characters, line)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>text</code></td><td>string <span class=dim>(1–2000 characters, lines)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>audience</code></td><td><code>all</code> | <code>shop</code> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-AdjustmentRequest"><h3>AdjustmentRequest</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>stamps</code></td><td>integer <span class=dim>(-50–50)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>reason</code></td><td>string <span class=dim>(1–500 characters, lines)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-VerificationSent"><h3>VerificationSent</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>expiresAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>devCode</code></td><td>string <span class=dim>(<code>^[0-9]{6}$</code>)</span></td><td>The code itself, in development mode alone.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;expiresAt&quot;: &quot;2026-11-21T18:05:00.000Z&quot;
}</code></pre></details>
</section>
<section class=operation id="schema-Session"><h3>Session</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>accessToken</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>refreshToken</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>expiresIn</code></td><td>integer <strong>required</strong></td><td>Seconds of the access token.</td></tr>
<tr><td><code>account</code></td><td><a href="#schema-Account">Account</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;accessToken&quot;: &quot;eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2N0In0.c2lnbmF0dXJl&quot;,
  &quot;refreshToken&quot;: &quot;ses_01kahqz8zefx9r4gk0v2d3w5ye.rt_5v0zt8d3k7w1qj9m4x6r2n8c0b&quot;,
  &quot;expiresIn&quot;: 900,
  &quot;account&quot;: {
    &quot;id&quot;: &quot;acct_01kahqz8zefx9r4gk0v2d3w5ye&quot;,
    &quot;phone&quot;: &quot;+8613800138000&quot;,
    &quot;nickname&quot;: &quot;小绿&quot;,
    &quot;avatar&quot;: null,
    &quot;gender&quot;: null,
    &quot;birthday&quot;: null,
    &quot;city&quot;: &quot;上海&quot;,
    &quot;isMerchant&quot;: false,
    &quot;shop&quot;: null,
    &quot;isOperator&quot;: false
  }
}</code></pre></details>
</section>
<section class=operation id="schema-Account"><h3>Account</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-AccountID">AccountID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>phone</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>nickname</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>avatar</code></td><td>string or null <strong>required</strong></td><td>An image.</td></tr>
<tr><td><code>gender</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>birthday</code></td><td>string or null <span class=dim>(date)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>city</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>isMerchant</code></td><td>boolean <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> or null <strong>required</strong></td><td>The shop that it owns.</td></tr>
<tr><td><code>isOperator</code></td><td>boolean <strong>required</strong></td><td></td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;acct_01kahqz8zefx9r4gk0v2d3w5ye&quot;,
  &quot;phone&quot;: &quot;+8613800138000&quot;,
  &quot;nickname&quot;: &quot;小绿&quot;,
  &quot;avatar&quot;: null,
  &quot;gender&quot;: null,
  &quot;birthday&quot;: null,
  &quot;city&quot;: &quot;上海&quot;,
  &quot;isMerchant&quot;: false,
  &quot;shop&quot;: null,
  &quot;isOperator&quot;: false
}</code></pre></details>
</section>
<section class=operation id="schema-Export"><h3>Export</h3>
<p>Everything that is held about an account.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td>How far the log had come.</td></tr>
<tr><td><code>account</code></td><td>object <strong>required</strong></td><td>As GET /v1/me gives it, with when it registered and whether it has a password.</td></tr>
<tr><td><code>shop</code></td><td>object or null <strong>required</strong></td><td></td></tr>
<tr><td><code>cards</code></td><td>array of <a href="#schema-Card">Card</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>reviews</code></td><td>array of object <strong>required</strong></td><td></td></tr>
<tr><td><code>replies</code></td><td>array of object <strong>required</strong></td><td></td></tr>
<tr><td><code>feedback</code></td><td>array of <a href="#schema-Feedback">Feedback</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>favorites</code></td><td>array of object <strong>required</strong></td><td>What it keeps, in the order in which it was added.</td></tr>
<tr><td><code>notices</code></td><td>array of any <strong>required</strong></td><td>The notices that it got, newest first.</td></tr>
<tr><td><code>sessions</code></td><td>array of object <strong>required</strong></td><td></td></tr>
<tr><td><code>events</code></td><td>array of <a href="#schema-Event">Event</a> <strong>required</strong></td><td>As the log holds them: what stands above in the clear is sealed here.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-FeedbackTaken"><h3>FeedbackTaken</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>receivedAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Feedback"><h3>Feedback</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td>Where in the log it stands.</td></tr>
<tr><td><code>author</code></td><td><a href="#schema-AccountID">AccountID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>text</code></td><td>string or null <strong>required</strong></td><td>Null where its author was erased.</td></tr>
<tr><td><code>createdAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;position&quot;: 271,
  &quot;author&quot;: &quot;acct_01kahqz8zefx9r4gk0v2d3w5ye&quot;,
  &quot;text&quot;: &quot;更多口味&quot;,
  &quot;createdAt&quot;: &quot;2026-11-21T18:00:00.000Z&quot;
}</code></pre></details>
</section>
<section class=operation id="schema-FeedbackPage"><h3>FeedbackPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Feedback">Feedback</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ShopInBrief"><h3>ShopInBrief</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>name</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>address</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>location</code></td><td><a href="#schema-Coordinate">Coordinate</a> or null <strong>required</strong></td><td></td></tr>
<tr><td><code>rating</code></td><td>number or null</td><td>The mean of its ratings, on a campaign&#x27;s page.</td></tr>
<tr><td><code>reviewCount</code></td><td>integer <span class=dim>(≥ 0)</span></td><td>How many accounts rate it, on a campaign&#x27;s page.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Campaign"><h3>Campaign</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-CampaignID">CampaignID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>kind</code></td><td><a href="#schema-CampaignKind">CampaignKind</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>title</code></td><td>string <strong>required</strong></td><td>Empty, as the details, where the shop&#x27;s owner was erased; the reward is null then.</td></tr>
<tr><td><code>shop</code></td><td><a href="#schema-ShopInBrief">ShopInBrief</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>distance</code></td><td>number <span class=dim>(≥ 0)</span></td><td>Metres from <code>near</code>, where it was given.</td></tr>
<tr><td><code>image</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>goal</code></td><td>integer or null <span class=dim>(1–50)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>reward</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>favorites</code></td><td>integer <span class=dim>(≥ 0)</span> <strong>required</strong></td><td>How many accounts like it.</td></tr>
<tr><td><code>isFavorite</code></td><td>boolean</td><td>Whether I do, where I am signed in.</td></tr>
<tr><td><code>startsAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>endsAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>running</code></td><td>boolean <strong>required</strong></td><td>Begun, not over, and of a shop that is not suspended.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;camp_01kahr1h5yfcrs2v7e4m9z0k3g&quot;,
  &quot;kind&quot;: &quot;stampCard&quot;,
  &quot;title&quot;: &quot;Ten cups, the eleventh is free&quot;,
  &quot;shop&quot;: {
    &quot;id&quot;: &quot;shop_01kahr0b3nf7ttd9c1s8j6x2qa&quot;,
    &quot;name&quot;: &quot;好喝奶茶店&quot;,
    &quot;address&quot;: &quot;南京东路 1 号&quot;,
    &quot;location&quot;: {
      &quot;latitude&quot;: 31.2304,
      &quot;longitude&quot;: 121.4737
    }
  },
  &quot;image&quot;: null,
  &quot;goal&quot;: 10,
  &quot;reward&quot;: &quot;One free drink&quot;,
  &quot;favorites&quot;: 0,
  &quot;startsAt&quot;: &quot;2026-11-01T00:00:00.000Z&quot;,
  &quot;endsAt&quot;: &quot;2027-11-01T00:00:00.000Z&quot;,
  &quot;running&quot;: true
}</code></pre></details>
</section>
<section class=operation id="schema-CampaignDetails"><h3>CampaignDetails</h3>
<p>A campaign&#x27;s page. The answer to a write leaves rating and reviewCount out, because it must be the same for ever.</p>
<p>Everything of <a href="#schema-Campaign">Campaign</a>, and:</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>details</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>stampsPerDayMax</code></td><td>integer or null</td><td>Stamps that an account may gain in 24 hours on all its cards; null for any number.</td></tr>
<tr><td><code>minimumGapSeconds</code></td><td>integer or null</td><td>Seconds between two codes of one account; null for none.</td></tr>
<tr><td><code>rating</code></td><td>number or null</td><td>The shop&#x27;s mean.</td></tr>
<tr><td><code>reviewCount</code></td><td>integer <span class=dim>(≥ 0)</span></td><td>How many accounts rate the shop.</td></tr>
<tr><td><code>links</code></td><td><a href="#schema-Links">Links</a> or null <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Links"><h3>Links</h3>
<p>How to get to the shop, for each map that a phone may have.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>map</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>apple</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>google</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>amap</code></td><td>string <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CampaignPage"><h3>CampaignPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Campaign">Campaign</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Rating"><h3>Rating</h3>
<p>The latest word of each account.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>average</code></td><td>number or null <span class=dim>(1–5)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>count</code></td><td>integer <span class=dim>(≥ 0)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>histogram</code></td><td>array of integer <span class=dim>(≥ 0)</span> <span class=dim>(5–5 items)</span> <strong>required</strong></td><td>From one star to five.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Shop"><h3>Shop</h3>
<p>A shop&#x27;s page. The answer to an edit leaves the rating out, because it must be the same for ever. Where the owner was erased, name, phone and address are empty, the location is null, and there are no images.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>name</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>phone</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>address</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>location</code></td><td><a href="#schema-Coordinate">Coordinate</a> or null <strong>required</strong></td><td></td></tr>
<tr><td><code>distance</code></td><td>number <span class=dim>(≥ 0)</span></td><td>Metres from <code>near</code>, where it was given.</td></tr>
<tr><td><code>images</code></td><td>array of <a href="#schema-ImageID">ImageID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>suspended</code></td><td>boolean</td><td></td></tr>
<tr><td><code>closedAt</code></td><td>string <span class=dim>(date-time)</span></td><td>When it closed for good; left out of an open shop.</td></tr>
<tr><td><code>redeemUntil</code></td><td>string <span class=dim>(date-time)</span></td><td>Until then a closed shop hands out rewards for full cards.</td></tr>
<tr><td><code>rating</code></td><td><a href="#schema-Rating">Rating</a></td><td>The latest word of each account.</td></tr>
<tr><td><code>campaigns</code></td><td>array of <a href="#schema-Campaign">Campaign</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;shop_01kahr0b3nf7ttd9c1s8j6x2qa&quot;,
  &quot;name&quot;: &quot;好喝奶茶店&quot;,
  &quot;phone&quot;: &quot;010-1234 5678&quot;,
  &quot;address&quot;: &quot;南京东路 1 号&quot;,
  &quot;location&quot;: {
    &quot;latitude&quot;: 31.2304,
    &quot;longitude&quot;: 121.4737
  },
  &quot;images&quot;: [],
  &quot;rating&quot;: {
    &quot;average&quot;: 4.5,
    &quot;count&quot;: 2,
    &quot;histogram&quot;: [
      0,
      0,
      0,
      1,
      1
    ]
  },
  &quot;campaigns&quot;: []
}</code></pre></details>
</section>
<section class=operation id="schema-ShopPage"><h3>ShopPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Shop">Shop</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ShopRole"><h3>ShopRole</h3>
<p>Everybody who works there and does not own it is counter staff.</p>
<p><code>owner</code> | <code>counter</code></p>
</section>
<section class=operation id="schema-Offered"><h3>Offered</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>role</code></td><td><a href="#schema-ShopRole">ShopRole</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-OfferPage"><h3>OfferPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of object <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-InvitationPage"><h3>InvitationPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Invitation">Invitation</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Invitation"><h3>Invitation</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-InvitationID">InvitationID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>kind</code></td><td><code>staff</code> <strong>required</strong></td><td></td></tr>
<tr><td><code>role</code></td><td><a href="#schema-ShopRole">ShopRole</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td>object <strong>required</strong></td><td></td></tr>
<tr><td><code>invitedAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>expiresAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-WorkplacePage"><h3>WorkplacePage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of object <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Staff"><h3>Staff</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>owner</code></td><td><a href="#schema-AccountID">AccountID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>staff</code></td><td>array of <a href="#schema-AccountID">AccountID</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CardInBrief"><h3>CardInBrief</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-CardID">CardID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>campaign</code></td><td><a href="#schema-CampaignID">CampaignID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>status</code></td><td><a href="#schema-CardStatus">CardStatus</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>stamps</code></td><td>integer <span class=dim>(0–50)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>goal</code></td><td>integer <span class=dim>(1–50)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>reward</code></td><td>string <strong>required</strong></td><td>Empty where the shop&#x27;s owner was erased.</td></tr>
<tr><td><code>openedAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;card_01kahr3t1rfhmv4k8d2x6c0w5z&quot;,
  &quot;campaign&quot;: &quot;camp_01kahr1h5yfcrs2v7e4m9z0k3g&quot;,
  &quot;shop&quot;: &quot;shop_01kahr0b3nf7ttd9c1s8j6x2qa&quot;,
  &quot;status&quot;: &quot;collecting&quot;,
  &quot;stamps&quot;: 3,
  &quot;goal&quot;: 10,
  &quot;reward&quot;: &quot;One free drink&quot;,
  &quot;openedAt&quot;: &quot;2026-11-21T18:00:00.000Z&quot;
}</code></pre></details>
</section>
<section class=operation id="schema-Card"><h3>Card</h3>
<p>A card with its history.</p>
<p>Everything of <a href="#schema-CardInBrief">CardInBrief</a>, and:</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>history</code></td><td>array of <a href="#schema-CardEntry">CardEntry</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Adjusted"><h3>Adjusted</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>card</code></td><td><a href="#schema-Card">Card</a> <strong>required</strong></td><td>A card with its history.</td></tr>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CardEntry"><h3>CardEntry</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>at</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>kind</code></td><td><code>opened</code> | <code>stamped</code> | <code>redemptionRequested</code> | <code>redeemed</code> | <code>discarded</code> | <code>adjusted</code> | <code>reversed</code> <strong>required</strong></td><td></td></tr>
<tr><td><code>stamps</code></td><td>integer <strong>required</strong></td><td>Stamps that came to the card.</td></tr>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>reason</code></td><td>string</td><td>Why the card was adjusted, or its redemption reversed; only there.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;at&quot;: &quot;2026-11-21T18:00:00.000Z&quot;,
  &quot;kind&quot;: &quot;stamped&quot;,
  &quot;stamps&quot;: 3,
  &quot;position&quot;: 271
}</code></pre></details>
</section>
<section class=operation id="schema-CardPage"><h3>CardPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-CardInBrief">CardInBrief</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Stamped"><h3>Stamped</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>card</code></td><td><a href="#schema-Card">Card</a> <strong>required</strong></td><td>The one that took the first stamp.</td></tr>
<tr><td><code>cards</code></td><td>array of <a href="#schema-Card">Card</a> <span class=dim>(≥ 1 items)</span> <strong>required</strong></td><td>All that changed.</td></tr>
<tr><td><code>added</code></td><td>integer <span class=dim>(1–10)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-ShownCode"><h3>ShownCode</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>code</code></td><td>string <span class=dim>(<code>^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$</code>)</span> <strong>required</strong></td><td>For people.</td></tr>
<tr><td><code>payload</code></td><td>string <strong>required</strong></td><td>What the picture says: a link.</td></tr>
<tr><td><code>qrSvg</code></td><td>string or null <strong>required</strong></td><td>The picture.</td></tr>
<tr><td><code>expiresAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;code&quot;: &quot;K7QF-2M9X&quot;,
  &quot;payload&quot;: &quot;https://greentea.example/s/K7QF2M9X&quot;,
  &quot;qrSvg&quot;: &quot;&lt;svg …/&gt;&quot;,
  &quot;expiresAt&quot;: &quot;2026-11-21T18:10:00.000Z&quot;
}</code></pre></details>
</section>
<section class=operation id="schema-StampCode"><h3>StampCode</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-CodeID">CodeID</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
<p>Everything of <a href="#schema-ShownCode">ShownCode</a>, and:</p>
</section>
<section class=operation id="schema-RedemptionCode"><h3>RedemptionCode</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-RedemptionID">RedemptionID</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
<p>Everything of <a href="#schema-ShownCode">ShownCode</a>, and:</p>
</section>
<section class=operation id="schema-CodeState"><h3>CodeState</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-CodeID">CodeID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>campaign</code></td><td><a href="#schema-CampaignID">CampaignID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>status</code></td><td><code>open</code> | <code>used</code> | <code>destroyed</code> | <code>expired</code> <strong>required</strong></td><td></td></tr>
<tr><td><code>stamps</code></td><td>integer <span class=dim>(1–10)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>expiresAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Redemption"><h3>Redemption</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-RedemptionID">RedemptionID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>status</code></td><td><code>pending</code> | <code>redeemed</code> | <code>expired</code> | <code>replaced</code> | <code>reversed</code> <strong>required</strong></td><td></td></tr>
<tr><td><code>card</code></td><td><a href="#schema-CardID">CardID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>campaign</code></td><td><a href="#schema-CampaignID">CampaignID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>requestedAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>expiresAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Preview"><h3>Preview</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>redemption</code></td><td><a href="#schema-Redemption">Redemption</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>card</code></td><td><a href="#schema-Card">Card</a> <strong>required</strong></td><td>A card with its history.</td></tr>
<tr><td><code>reward</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Redeemed"><h3>Redeemed</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>redemption</code></td><td><a href="#schema-Redemption">Redemption</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>card</code></td><td><a href="#schema-Card">Card</a> <strong>required</strong></td><td>A card with its history.</td></tr>
<tr><td><code>reward</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Statistics"><h3>Statistics</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>timeZone</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>from</code></td><td>string or null <span class=dim>(date)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>to</code></td><td>string or null <span class=dim>(date)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>days</code></td><td>array of object <strong>required</strong></td><td></td></tr>
<tr><td><code>totals</code></td><td>object <strong>required</strong></td><td></td></tr>
<tr><td><code>redemptionRate</code></td><td>number or null <strong>required</strong></td><td>Rewards handed out less those taken back, for each time that a card became full.</td></tr>
<tr><td><code>repeatVisitRate</code></td><td>number or null <strong>required</strong></td><td>Of the customers who came at all.</td></tr>
<tr><td><code>cohorts</code></td><td>array of object <strong>required</strong></td><td>Customers by the week of their first stamp, and how many of them came in each week since.</td></tr>
<tr><td><code>staff</code></td><td>array of object <strong>required</strong></td><td></td></tr>
<tr><td><code>concentration</code></td><td>object <strong>required</strong></td><td>Cards and members of staff with an unlikely share of the stamps.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Analytics"><h3>Analytics</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>timeZone</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>from</code></td><td>string <span class=dim>(date)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>to</code></td><td>string <span class=dim>(date)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>retention</code></td><td>object <strong>required</strong></td><td></td></tr>
<tr><td><code>fill</code></td><td>object <strong>required</strong></td><td></td></tr>
<tr><td><code>abandonment</code></td><td>object <strong>required</strong></td><td></td></tr>
<tr><td><code>effect</code></td><td>object or null <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-CampaignWeeks"><h3>CampaignWeeks</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>visitsPerWeek</code></td><td>number or null <strong>required</strong></td><td></td></tr>
<tr><td><code>activeCustomersPerWeek</code></td><td>number or null <strong>required</strong></td><td></td></tr>
<tr><td><code>newCustomersPerWeek</code></td><td>number or null <strong>required</strong></td><td></td></tr>
<tr><td><code>weeks</code></td><td>array of object <strong>required</strong></td><td>Seven days each, but for a last one that is shorter.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Author"><h3>Author</h3>
<p>Who said it. The handle is the same in all that they say at this shop, another at every other, and leads to no account.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>handle</code></td><td>string <span class=dim>(<code>^[0-9a-hjkmnp-tv-z]{16}$</code>)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>nickname</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>avatar</code></td><td>string or null <strong>required</strong></td><td>A picture&#x27;s id.</td></tr>
<tr><td><code>isShop</code></td><td>boolean <strong>required</strong></td><td>Whether they own the shop or work there now.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Review"><h3>Review</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-ReviewID">ReviewID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td><a href="#schema-ShopID">ShopID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>author</code></td><td><a href="#schema-Author">Author</a> <strong>required</strong></td><td>Who said it. The handle is the same in all that they say at this shop, another at every other, and leads to no account.</td></tr>
<tr><td><code>rating</code></td><td>integer or null <span class=dim>(1–5)</span> <strong>required</strong></td><td>Null for a reply.</td></tr>
<tr><td><code>text</code></td><td>string or null <strong>required</strong></td><td>Null where there is none, or its author was erased.</td></tr>
<tr><td><code>verified</code></td><td>boolean <strong>required</strong></td><td>Whether the author holds or held a card there.</td></tr>
<tr><td><code>removed</code></td><td>boolean</td><td>Taken down; neither rating nor text is left.</td></tr>
<tr><td><code>createdAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>replies</code></td><td>array of <a href="#schema-Review">Review</a> <strong>required</strong></td><td></td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;rev_01kahr5d2xf8w6t0q4n7z9a1ch&quot;,
  &quot;shop&quot;: &quot;shop_01kahr0b3nf7ttd9c1s8j6x2qa&quot;,
  &quot;author&quot;: {
    &quot;handle&quot;: &quot;7hq2m9x0c4kd8w1b&quot;,
    &quot;nickname&quot;: &quot;小绿&quot;,
    &quot;avatar&quot;: null,
    &quot;isShop&quot;: false
  },
  &quot;rating&quot;: 5,
  &quot;text&quot;: &quot;很好喝！&quot;,
  &quot;verified&quot;: true,
  &quot;createdAt&quot;: &quot;2026-11-21T18:00:00.000Z&quot;,
  &quot;replies&quot;: []
}</code></pre></details>
</section>
<section class=operation id="schema-ReviewPage"><h3>ReviewPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Review">Review</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Image"><h3>Image</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-ImageID">ImageID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>url</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>width</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>height</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Notice"><h3>Notice</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td><a href="#schema-NoticeID">NoticeID</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>title</code></td><td>string or null <strong>required</strong></td><td>Null where its author was erased.</td></tr>
<tr><td><code>text</code></td><td>string or null <strong>required</strong></td><td></td></tr>
<tr><td><code>audience</code></td><td><code>all</code> | <code>shop</code> <strong>required</strong></td><td></td></tr>
<tr><td><code>shop</code></td><td>object or null <strong>required</strong></td><td></td></tr>
<tr><td><code>postedAt</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>read</code></td><td>boolean</td><td>Whether I read it, in my list.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;ntc_01kahr6p9vf5b3y7m1k8e2d4xr&quot;,
  &quot;title&quot;: &quot;Closed on Monday&quot;,
  &quot;text&quot;: &quot;We repaint the shop.&quot;,
  &quot;audience&quot;: &quot;shop&quot;,
  &quot;shop&quot;: {
    &quot;id&quot;: &quot;shop_01kahr0b3nf7ttd9c1s8j6x2qa&quot;,
    &quot;name&quot;: &quot;好喝奶茶店&quot;
  },
  &quot;postedAt&quot;: &quot;2026-11-21T18:00:00.000Z&quot;,
  &quot;read&quot;: false
}</code></pre></details>
</section>
<section class=operation id="schema-NoticePage"><h3>NoticePage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Notice">Notice</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
<tr><td><code>unread</code></td><td>integer <span class=dim>(≥ 0)</span> <strong>required</strong></td><td>Of all my notices.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Event"><h3>Event</h3>
<p>An event as the log has it. Sealed fields are base64 under <code>sealed</code>, keyed hashes 32 hexadecimal digits.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 1)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>time</code></td><td><a href="#schema-Time">Time</a> <strong>required</strong></td><td>RFC 3339 in UTC with milliseconds.</td></tr>
<tr><td><code>type</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>actor</code></td><td>string or null <strong>required</strong></td><td>An account; in an export null where it was somebody else.</td></tr>
<tr><td><code>event</code></td><td>object <strong>required</strong></td><td></td></tr>
<tr><td><code>sealed</code></td><td>object</td><td></td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;position&quot;: 9,
  &quot;time&quot;: &quot;2026-11-21T18:00:00.000Z&quot;,
  &quot;type&quot;: &quot;CardStamped&quot;,
  &quot;actor&quot;: &quot;acct_01kahqz8zefx9r4gk0v2d3w5ye&quot;,
  &quot;event&quot;: {
    &quot;card&quot;: &quot;card_01kahr3t1rfhmv4k8d2x6c0w5z&quot;,
    &quot;stamps&quot;: 1
  }
}</code></pre></details>
</section>
<section class=operation id="schema-EventPage"><h3>EventPage</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>items</code></td><td>array of <a href="#schema-Event">Event</a> <span class=dim>(≤ 100 items)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>next</code></td><td><a href="#schema-Next">Next</a> <strong>required</strong></td><td>The cursor of the next page; null on the last.</td></tr>
</tbody></table>
</section>
<section class=operation id="schema-LiveEvent"><h3>LiveEvent</h3>
<p>One message of the stream. Clients skip names and kinds that they do not know.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>id</code></td><td>string <span class=dim>(<code>^[0-9]*$</code>)</span></td><td>A position.</td></tr>
<tr><td><code>event</code></td><td>string</td><td>card, code, redemption or notice.</td></tr>
<tr><td><code>data</code></td><td>string</td><td><code>kind</code>, <code>at</code>, <code>position</code> and what it is about: <code>card</code> with <code>added</code> and, where a reward is asked for, given or taken back, <code>redemption</code>; or <code>code</code>; or <code>redemption</code>; or <code>notice</code>.</td></tr>
<tr><td><code>retry</code></td><td>any</td><td>Milliseconds after which to come again.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;id&quot;: &quot;81&quot;,
  &quot;event&quot;: &quot;card&quot;,
  &quot;data&quot;: &quot;{\&quot;kind\&quot;:\&quot;opened\&quot;,\&quot;at\&quot;:\&quot;2026-11-21T18:00:00.000Z\&quot;,\&quot;position\&quot;:81}&quot;
}</code></pre></details>
</section>
<section class=operation id="schema-Readiness"><h3>Readiness</h3>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>status</code></td><td><code>ready</code> | <code>notReady</code> <strong>required</strong></td><td></td></tr>
<tr><td><code>reasons</code></td><td>array of object</td><td>Why it is not.</td></tr>
<tr><td><code>warnings</code></td><td>array of object</td><td>What keeps no requests away but wants attention.</td></tr>
<tr><td><code>position</code></td><td>integer <span class=dim>(≥ 0)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>writing</code></td><td>boolean <strong>required</strong></td><td></td></tr>
<tr><td><code>waitingCommands</code></td><td>integer <span class=dim>(≥ 0)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>models</code></td><td>array of object <strong>required</strong></td><td></td></tr>
</tbody></table>
</section>
<section class=operation id="schema-Problem"><h3>Problem</h3>
<p>RFC 9457.</p>
<table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>
<tr><td><code>type</code></td><td>string <span class=dim>(<code>^https://greentea\.dev/problems/[A-Za-z]+$</code>)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>title</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>status</code></td><td>integer <span class=dim>(400–599)</span> <strong>required</strong></td><td></td></tr>
<tr><td><code>detail</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>instance</code></td><td>string <strong>required</strong></td><td>The path that was asked for.</td></tr>
<tr><td><code>code</code></td><td><a href="#schema-ProblemCode">ProblemCode</a> <strong>required</strong></td><td></td></tr>
<tr><td><code>requestId</code></td><td>string <strong>required</strong></td><td></td></tr>
<tr><td><code>errors</code></td><td>array of object</td><td>For bad input, what is wrong with which field.</td></tr>
</tbody></table>
<details><summary>Example</summary><pre><code>{
  &quot;type&quot;: &quot;https://greentea.dev/problems/invalidRequest&quot;,
  &quot;title&quot;: &quot;Invalid request&quot;,
  &quot;status&quot;: 400,
  &quot;detail&quot;: &quot;Something in the request is not as it must be; see errors.&quot;,
  &quot;instance&quot;: &quot;/v1/shops&quot;,
  &quot;code&quot;: &quot;invalidRequest&quot;,
  &quot;requestId&quot;: &quot;6f1c2a90b3d84e57&quot;,
  &quot;errors&quot;: [
    {
      &quot;pointer&quot;: &quot;/name&quot;,
      &quot;detail&quot;: &quot;is required&quot;
    }
  ]
}</code></pre></details>
</section>
<section class=operation id="schema-ProblemCode"><h3>ProblemCode</h3>
<p>What clients compare. It never changes its meaning.</p>
<table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>
<tr><td><code>invalidRequest</code></td><td>400</td><td>Something in the request is not as it must be; <code>errors</code> says what.</td></tr>
<tr><td><code>idempotencyKeyRequired</code></td><td>400</td><td>This request needs an Idempotency-Key.</td></tr>
<tr><td><code>unauthenticated</code></td><td>401</td><td>Not signed in, or no longer.</td></tr>
<tr><td><code>tokenExpired</code></td><td>401</td><td>The access token has expired; refresh it.</td></tr>
<tr><td><code>forbidden</code></td><td>403</td><td>Signed in, but not the one who may.</td></tr>
<tr><td><code>ownShop</code></td><td>403</td><td>Nobody reviews a shop that they own or work for.</td></tr>
<tr><td><code>ownCampaign</code></td><td>403</td><td>Nobody collects or redeems at a shop that they own or work for.</td></tr>
<tr><td><code>suspended</code></td><td>403</td><td>The operator has suspended the shop, or its owner has left the service.</td></tr>
<tr><td><code>notFound</code></td><td>404</td><td>There is nothing here, or nothing that the caller may know of.</td></tr>
<tr><td><code>methodNotAllowed</code></td><td>405</td><td>The address does not take the method; <code>Allow</code> says which it takes.</td></tr>
<tr><td><code>cardNotFull</code></td><td>409</td><td>Only a full card can be redeemed.</td></tr>
<tr><td><code>alreadyMerchant</code></td><td>409</td><td>The account has a shop already.</td></tr>
<tr><td><code>campaignNotRunning</code></td><td>409</td><td>The campaign has not begun or is over.</td></tr>
<tr><td><code>codeNotOpen</code></td><td>409</td><td>The code was used or has expired.</td></tr>
<tr><td><code>offerNotOpen</code></td><td>409</td><td>The offer was answered or withdrawn, or has lapsed.</td></tr>
<tr><td><code>idempotencyInFlight</code></td><td>409</td><td>The first request with this key is still running. Kept for other servers: this one lets the second wait.</td></tr>
<tr><td><code>notReversible</code></td><td>409</td><td>The redemption is too old to be taken back, or was already.</td></tr>
<tr><td><code>versionConflict</code></td><td>412</td><td>It was changed since it was read.</td></tr>
<tr><td><code>tooLarge</code></td><td>413</td><td>The body is larger than 64 KiB, or a picture than 8 MiB.</td></tr>
<tr><td><code>unsupportedMediaType</code></td><td>415</td><td>The body is not JSON in UTF-8, or not a picture that is known.</td></tr>
<tr><td><code>codeNotValid</code></td><td>422</td><td>Unknown, used, destroyed, expired, or of another campaign.</td></tr>
<tr><td><code>redemptionNotValid</code></td><td>422</td><td>Unknown, used, expired, replaced, or of another shop.</td></tr>
<tr><td><code>verificationNotValid</code></td><td>422</td><td>The code or the password is wrong.</td></tr>
<tr><td><code>idempotencyKeyReused</code></td><td>422</td><td>The key was used for another request.</td></tr>
<tr><td><code>preconditionRequired</code></td><td>428</td><td>This edit needs an If-Match.</td></tr>
<tr><td><code>rateLimited</code></td><td>429</td><td>Too many attempts; see Retry-After.</td></tr>
<tr><td><code>internal</code></td><td>500</td><td>The service failed and has noted it.</td></tr>
<tr><td><code>overloaded</code></td><td>503</td><td>Too busy; try again in a moment.</td></tr>
<tr><td><code>notCaughtUp</code></td><td>503</td><td>The position that was asked for has not been reached.</td></tr>
<tr><td><code>stopping</code></td><td>503</td><td>The service is going down or up.</td></tr>
</tbody></table>
</section>
</main></body></html>

"""#
}
